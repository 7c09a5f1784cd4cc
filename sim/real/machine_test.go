package real

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/sim"
)

// What never served is closed as well.
func TestCloseBeforeItBegins(t *testing.T) {
	w, err := newWorld(t.Context(), &sim.Model{
		Dependencies: sim.Map[sim.Dependency]{{Key: "db", Value: sim.Dependency{Phases: []sim.Phase{{}}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	address := w.names["db"].listener.Addr().String()
	w.close()
	if c, err := net.Dial("tcp", address); err == nil {
		c.Close()
		t.Error("somebody still listens")
	}
}

// When the machine fails, the figures are worth nothing, and there are none.
func TestMachineFails(t *testing.T) {
	w, err := newWorld(t.Context(), &sim.Model{
		Duration:     time.Hour,
		Services:     sim.Map[sim.Service]{{Key: "page", Value: sim.Service{Calls: []string{"db"}}}},
		Dependencies: sim.Map[sim.Dependency]{{Key: "db", Value: sim.Dependency{Phases: []sim.Phase{{}}}}},
		Loads:        sim.Map[sim.Load]{{Key: "users", Value: sim.Load{To: "page", Clients: 3}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.begin()
	w.names["db"].http.Close()
	w.watch(nil)
	w.close()
	if err := w.fault(); err == nil || !strings.HasPrefix(err.Error(), "real time: ") {
		t.Errorf("fault %v", err)
	}
}

// Requests of an open loop beyond the bound are not sent, and count as hung.
func TestOutstandingIsBounded(t *testing.T) {
	w, err := newWorld(t.Context(), &sim.Model{
		Duration:     200 * time.Millisecond,
		Drain:        10 * time.Millisecond,
		Dependencies: sim.Map[sim.Dependency]{{Key: "db", Value: sim.Dependency{Phases: []sim.Phase{{Hang: true}}}}},
		Loads:        sim.Map[sim.Load]{{Key: "users", Value: sim.Load{To: "db", Rate: 100}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.places = make(chan struct{}, 3)
	w.begin()
	w.watch(nil)
	w.close()
	r := w.rec.Result()
	if r.Metrics.Requests != 20 || r.Metrics.Hung != 20 || r.Dependencies["db"].Calls != 3 {
		t.Errorf("%d calls, %+v", r.Dependencies["db"].Calls, r.Metrics)
	}
}
