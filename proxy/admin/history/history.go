package history

import (
	"math"
	"sync"
	"time"

	"github.com/stanch-go/stanch/proxy"
)

const (
	step   = time.Second
	length = 600 // samples
)

// History keeps the samples of all dependencies. Its methods are safe for
// concurrent use.
type History struct {
	mu    sync.Mutex
	began time.Time // of the first sample; zero before
	last  int64     // the number of the latest one
	by    map[string]*ring
}

// New returns an empty History.
func New() *History { return &History{by: map[string]*ring{}} }

// A ring has the samples of one dependency.
type ring struct {
	totals  totals
	first   int64 // the number of its first sample
	samples [length]sample
}

func (r *ring) at(n int64) *sample { return &r.samples[n%length] }

// Add takes the state at the end of a second, and the events of it. The first
// state only begins the count. One that comes within the same second as the one
// before, or before it, is left for the next.
func (h *History) Add(s proxy.Status, events []proxy.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.began.IsZero() {
		h.began = s.At
	}
	n := int64(s.At.Sub(h.began) / step)
	if n <= h.last && len(h.by) > 0 {
		return
	}
	worst := map[string]uint8{}
	for _, e := range events {
		if e.Kind == proxy.KindTransition {
			worst[e.Dependency] = max(worst[e.Dependency], severity(e.To))
		}
	}
	there := map[string]bool{}
	for _, d := range s.Dependencies {
		key := Key(d)
		there[key] = true
		now := total(d)
		if d.Local {
			now.take(s.Inbound)
		}
		r := h.by[key]
		if r == nil {
			h.by[key] = &ring{totals: now, first: n + 1}
			continue
		}
		if d.Local && s.Inbound == nil { // what was refused before is not forgotten
			for i := range now.refused {
				now.refused[i] = max(now.refused[i], r.totals.refused[i])
			}
		}
		for missed := max(h.last+1, n-length); missed < n; missed++ {
			*r.at(missed) = sample{}
		}
		x := now.since(&r.totals)
		x.inFlight = uint16(min(math.MaxUint16, d.InFlight+d.Tunnels))
		if d.Breaker != "" {
			x.state = max(severity(d.Breaker), worst[d.Name])
		}
		x.faulty = d.Fault != nil
		// A call ends before its alternative is counted, so a state may have too
		// many without an answer. What was counted early is not counted again.
		none := len(now.answers) - 1
		now.answers[none] = max(now.answers[none], r.totals.answers[none])
		*r.at(n), r.totals = x, now
	}
	for key := range h.by {
		if !there[key] {
			delete(h.by, key)
		}
	}
	h.last = n
}

// Key tells dependencies apart: the service behind the ingress may have the name
// of a dependency.
func Key(d proxy.DependencyStatus) string {
	if d.Local {
		return "ingress:" + d.Name // no dependency's name has a colon
	}
	return d.Name
}
