package quota

import (
	"errors"
	"testing"
	"time"
)

// Who brings the time asks, carries the Take, and is told what comes of it.
func TestCentralInGivenTime(t *testing.T) {
	store := NewMemory(0)
	c, err := NewCentral(Config{Mode: ModeCentral, Rate: 2, Instances: 2}, store)
	if err != nil {
		t.Fatal(err)
	}
	decide := func(now int64) Decision {
		take, _, ok := c.Ask(key, 1)
		if !ok {
			t.Fatal("there is nothing to ask")
		}
		return c.Granted(take, store.TakeAt(now, take))
	}
	if a, b, c := decide(0), decide(0), decide(0); !a.OK || !b.OK || c.OK || c.RetryAfter != 500*time.Millisecond {
		t.Errorf("two a second: %+v, %+v, %+v", a, b, c)
	}
	if d := decide(second / 2); !d.OK {
		t.Errorf("half a second later: %+v", d)
	}
	take, _, _ := c.Ask(key, 1)
	lost := errors.New("lost")
	if a, b := c.FailedAt(second, take, lost), c.FailedAt(second, take, lost); !a.OK || b.OK || !errors.Is(b.Err, ErrStore) || !errors.Is(b.Err, lost) || b.RetryAfter != time.Second {
		t.Errorf("its half without the store: %+v, %+v", a, b)
	}
	for _, cost := range []float64{-1, 3} {
		if _, d, ok := c.Ask(key, cost); ok || d.OK || d.RetryAfter != Never {
			t.Errorf("cost %v: %+v, %v", cost, d, ok)
		}
	}
	if err := c.Set(Config{Mode: ModeCentral}); err != nil {
		t.Fatal(err)
	}
	if _, d, ok := c.Ask(key, 3); ok || !d.OK {
		t.Errorf("off: %+v, %v", d, ok)
	}
}

// A request that waited for the store was counted twice in the demand, by those
// who bring their own time: slices were twice as large as they should be.
func TestDemandOfThoseWhoWaited(t *testing.T) {
	demand := func(again bool) float64 {
		q, err := NewLeased(Config{Mode: ModeLeased, Rate: 1000}, NewMemory(0), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			q.AllowAt(0, key, 1)
			if again {
				q.AgainAt(0, key, 1)
			}
		}
		take, ok := q.AskAt(0, key, 1)
		if !ok {
			t.Fatal("there is nothing to ask")
		}
		return take.Want
	}
	if once, twice := demand(false), demand(true); once != twice {
		t.Errorf("wants %v, and %v when all waited", once, twice)
	}
}
