package e2e

import (
	"encoding/json"
	"math"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"
)

// One policy file is checked, played and run, and the three say the same of a
// stall: how long anybody waits, what share of the answers is not the
// dependency's, how often it is still asked.
func TestOneFile(t *testing.T) {
	const file = "testdata/policy.yaml"

	// What check says.
	var checked struct {
		Findings []any
		Sums     []struct {
			Dependency string
			WorstTime  struct {
				Worst float64 `json:"worst_ms"`
			} `json:"worst_time"`
		}
	}
	read(t, &checked, "check", "--format", "json", file)
	if len(checked.Findings) != 0 || len(checked.Sums) == 0 || checked.Sums[0].Dependency != "recommend" {
		t.Fatalf("check: %+v", checked)
	}
	worst := checked.Sums[0].WorstTime.Worst

	// What the simulator shows.
	var played struct {
		Variants []struct {
			Metrics struct {
				Requests, Degraded, Failed int
				Latency                    struct{ Max float64 } `json:"latency_ms"`
			}
			Dependencies struct {
				Recommend struct {
					Calls       int
					Transitions []struct{ To string }
				}
			}
		}
	}
	read(t, &played, "sim", "--json", "testdata/stall.yaml")
	p := played.Variants[0].Metrics
	shown := incident{
		requests: p.Requests, failed: p.Failed, degraded: float64(p.Degraded) / float64(p.Requests), longest: p.Latency.Max,
		calls: played.Variants[0].Dependencies.Recommend.Calls, opened: len(played.Variants[0].Dependencies.Recommend.Transitions) > 0,
	}

	// What happens.
	dependency := newStalling(`["for you"]`)
	url := serve(t, slow(20*time.Millisecond, dependency))
	s := place(t)
	text, err := os.ReadFile(file)
	must(err)
	s.replace(text)
	s.start(t, []string{"EGRESS=0", "ADMIN=unix:" + s.socket, "RECOMMEND=" + host(url)})
	happened := s.incident(t, url, dependency)

	t.Logf("at most %v ms: played %+v, happened %+v", worst, shown, happened)
	if shown.longest > worst {
		t.Errorf("somebody waits %v ms in the simulator; check says at most %v", shown.longest, worst)
	}
	if happened.longest > worst+1000 { // a second for a busy machine
		t.Errorf("somebody waited %v ms; check says at most %v", happened.longest, worst)
	}
	if happened.requests != shown.requests || happened.failed != 0 || shown.failed != 0 {
		t.Error("requests failed, or are others")
	}
	if math.Abs(happened.degraded-shown.degraded) > 0.1 || happened.degraded < 0.5 {
		t.Error("the shares of degraded answers differ")
	}
	if r := float64(happened.calls) / float64(shown.calls); r < 0.6 || r > 1.5 {
		t.Error("the calls to the dependency differ")
	}
	if !happened.opened || !shown.opened {
		t.Error("a breaker did not open")
	}
}

// An incident is what is told of one.
type incident struct {
	requests, failed int
	degraded         float64 // share of the answers
	longest          float64 // ms
	calls            int     // to the dependency
	opened           bool
}

// incident plays testdata/stall.yaml for real: four seconds with a hundred
// requests each, whatever becomes of them, and a stall from the first to the
// third.
func (s *sidecar) incident(t *testing.T, url string, dependency *stalling) (i incident) {
	t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	c := s.client()
	degraded := 0
	one := func() {
		began := time.Now()
		resp, err := c.Get(url)
		took := float64(time.Since(began)) / float64(time.Millisecond)
		if err == nil {
			resp.Body.Close()
		}
		mu.Lock()
		defer mu.Unlock()
		i.longest = max(i.longest, took)
		switch {
		case err != nil || resp.StatusCode != http.StatusOK:
			i.failed++
		case resp.Header.Get("Stanch-Source") != "live":
			degraded++
		}
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for i.requests = range 400 {
		switch i.requests {
		case 100:
			dependency.stall()
		case 300:
			dependency.recover()
		}
		all.Go(one)
		<-tick.C
	}
	i.requests++
	all.Wait()
	i.degraded = float64(degraded) / float64(i.requests)
	i.calls = dependency.requests()
	i.opened = s.state(t).Dependencies[0].Breaker.State == "open"
	return i
}

// read runs the command and reads what it prints as JSON.
func read(t *testing.T, into any, args ...string) {
	t.Helper()
	out, code := output(t, nil, stanch, args...)
	if code != 0 {
		t.Fatalf("%v: %d %s", args, code, out)
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		t.Fatalf("%v: %v in %s", args, err, out)
	}
}

// slow lets each request wait before it is served.
func slow(d time.Duration, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-time.After(d)
		h.ServeHTTP(w, r)
	})
}
