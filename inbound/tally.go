package inbound

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/internal/durations"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/shed"
)

// Bounds are the upper ends of the buckets of Durations; one more bucket has what
// is longer.
var Bounds = durations.Bounds

// MaxNames is how many limits and quotas a Tally counts by name. Those of further
// ones, as changes of the configuration may bring, are counted as Other.
const (
	MaxNames = 64
	Other    = "other"
)

// A Tally is an Observer that counts, for metrics. It outlives the controllers
// that it is given to. The zero value is ready to use. Its methods are safe for
// concurrent use; an event allocates nothing, once its limit is known.
type Tally struct {
	admitted, left byPriority
	refused        atomic.Pointer[map[cause]*byPriority] // copied when one is added
	adding         sync.Mutex
	ended          [3]atomic.Uint64 // by outcome
	wait, work     durations.Counter
}

type byPriority [4]atomic.Uint64

type cause struct {
	reason stanch.Reason
	by     string
}

// Counts are what a Tally has counted.
type Counts struct {
	Requests []Count           // sorted; of refusals only those that there were
	Ended    map[string]uint64 // work that is over, by outcome
	Wait     Durations         // in the queue and for quotas, of those that were admitted
	Work     Durations         // for those that were admitted
}

// A Count is how many requests met the same fate.
type Count struct {
	Step     Step          // Admitted, Refused or Left
	Reason   stanch.Reason // of a refusal
	By       string        // the limit or quota that refused, "" if neither did
	Priority shed.Priority // of the requests
	Requests uint64
}

// Durations are how many there were up to each of Bounds, and beyond the one
// before; the last bucket has what is longer.
type Durations struct {
	Buckets [len(Bounds) + 1]uint64 // of Bounds
	Sum     time.Duration           // of all
}

// Count returns how many there were.
func (d Durations) Count() (n uint64) {
	for _, b := range d.Buckets {
		n += b
	}
	return n
}

// ObserveInbound implements Observer.
func (t *Tally) ObserveInbound(e Event) {
	p := e.Priority - shed.Sheddable
	if p < 0 || int(p) >= len(t.admitted) {
		return
	}
	switch e.Step {
	case Admitted:
		t.admitted[p].Add(1)
		t.wait.Add(e.Wait)
	case Left:
		t.left[p].Add(1)
	case Refused:
		t.of(cause{e.Reason, e.By})[p].Add(1)
	case Ended:
		t.ended[min(int(e.Outcome), len(t.ended)-1)].Add(1)
		t.work.Add(e.Took)
	}
}

func (t *Tally) of(c cause) *byPriority {
	if known := t.refused.Load(); known != nil {
		if n := (*known)[c]; n != nil {
			return n
		}
	}
	t.adding.Lock()
	defer t.adding.Unlock()
	now := map[cause]*byPriority{}
	if known := t.refused.Load(); known != nil {
		now = maps.Clone(*known)
	}
	if now[c] == nil && len(now) >= MaxNames {
		c.by = Other
	}
	if now[c] == nil {
		now[c] = new(byPriority)
		t.refused.Store(&now)
	}
	return now[c]
}

// Counts returns what was counted so far.
func (t *Tally) Counts() Counts {
	c := Counts{Ended: map[string]uint64{}, Wait: read(&t.wait), Work: read(&t.work)}
	add := func(step Step, why cause, n *byPriority) {
		for i := range n {
			if requests := n[i].Load(); requests > 0 || step != Refused {
				c.Requests = append(c.Requests, Count{step, why.reason, why.by, shed.Sheddable + shed.Priority(i), requests})
			}
		}
	}
	add(Admitted, cause{}, &t.admitted)
	if known := t.refused.Load(); known != nil {
		for _, why := range slices.SortedFunc(maps.Keys(*known), func(a, b cause) int {
			return strings.Compare(string(a.reason)+" "+a.by, string(b.reason)+" "+b.by)
		}) {
			add(Refused, why, (*known)[why])
		}
	}
	add(Left, cause{}, &t.left)
	for o := range t.ended {
		c.Ended[outcome.Outcome(o).String()] = t.ended[o].Load()
	}
	return c
}

func read(c *durations.Counter) Durations {
	buckets, sum := c.Read()
	return Durations{buckets, sum}
}
