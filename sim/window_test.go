package sim

import (
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/random"
)

// At the turn of a window twice the rate passes: that is what it is for.
func TestFixedWindow(t *testing.T) {
	w := &fixedWindow{FixedWindow: FixedWindow{Rate: 2, Window: time.Second}}
	for _, c := range []struct {
		at    time.Duration
		ok    bool
		again time.Duration
	}{
		{990 * time.Millisecond, true, 0},
		{995 * time.Millisecond, true, 0},
		{999 * time.Millisecond, false, time.Millisecond},
		{time.Second, true, 0},
		{time.Second, true, 0},
		{time.Second, false, time.Second},
		{4500 * time.Millisecond, true, 0},
		{4600 * time.Millisecond, true, 0},
		{4700 * time.Millisecond, false, 300 * time.Millisecond},
	} {
		if again, ok := w.allowAt(int64(c.at)); ok != c.ok || again != c.again {
			t.Errorf("at %v: %v, %v", c.at, ok, again)
		}
	}
}

func TestWeights(t *testing.T) {
	var w weights
	for _, x := range []float64{3, 0, 1} {
		w.add(x)
	}
	l := &Load{Tenant: Tenants{Number: 3, Zipf: 1}}
	who := l.Visitors(random.New(1))
	var drawn [3]int
	tenants := map[string]int{}
	r := random.New(2)
	for range 4000 {
		drawn[w.draw(r)]++
		tenants[who.Next().Tenant]++
	}
	if drawn[1] != 0 || drawn[0] < 2850 || drawn[0] > 3150 {
		t.Errorf("3 : 0 : 1 is drawn as %v", drawn)
	}
	if a, b := tenants["tenant-1"], tenants["tenant-2"]; len(tenants) != 3 || a < 2000 || a > 2360 || b < 950 || b > 1230 {
		t.Errorf("of three tenants by Zipf's law: %v", tenants)
	}
}
