package history

import (
	"math"
	"slices"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/proxy"
)

// Sources are what an answer can come from: the dependency, an alternative, or
// nothing.
var Sources = []string{Live, "last_good", "static", "empty", "hidden", None}

// The first and the last of Sources.
const (
	Live = "live"
	None = "none"
)

// Reasons are those for which attempts are refused.
var Reasons = []string{
	stanch.ErrBreakerOpen.Label(), stanch.ErrBulkheadFull.Label(), stanch.ErrQueueTimeout.Label(), stanch.ErrBudget.Label(),
	stanch.ErrDeadline.Label(), stanch.ErrRateLimited.Label(), stanch.ErrQuota.Label(), stanch.ErrShed.Label(), stanch.ErrNested.Label(),
}

// states in the order of severity: the most severe one that a breaker had within
// a second is that of the second. The first is that there is no breaker.
var states = []string{
	"", breaker.ForcedClosed.String(), breaker.Closed.String(), breaker.HalfOpen.String(), breaker.Open.String(), breaker.ForcedOpen.String(),
}

func severity(state string) uint8 { return uint8(max(0, slices.Index(states, state))) }

// A sample is one second of one dependency. The zero value is one of which
// nothing is known.
type sample struct {
	answers  [6]uint32 // by Sources
	refused  [9]uint32 // by Reasons
	latency  [len(proxy.Bounds) + 1]uint32
	inFlight uint16 // at its end
	state    uint8  // the most severe, by states
	faulty   bool
	known    bool
}

// totals are the counts since the process began, in the order of a sample.
type totals struct {
	answers [6]uint64
	refused [9]uint64
	latency [len(proxy.Bounds) + 1]uint64
}

func total(d proxy.DependencyStatus) totals {
	var t totals
	t.answers[0] = d.Calls[stanch.ResultOK.String()] + d.Calls[stanch.ResultAnswer.String()]
	answered := t.answers[0]
	for i, source := range Sources[1 : len(Sources)-1] {
		t.answers[1+i] = d.Degraded[source]
		answered += d.Degraded[source]
	}
	var ended uint64
	for _, n := range d.Calls {
		ended += n
	}
	t.answers[len(Sources)-1] = ended - min(ended, answered)
	for i, reason := range Reasons {
		t.refused[i] = d.Refused[reason]
	}
	t.latency = d.Latency.Buckets
	return t
}

// take adds what was refused before it came to the service.
func (t *totals) take(in *proxy.InboundStatus) {
	if in == nil {
		return
	}
	for _, c := range in.Counts.Requests {
		if i := slices.Index(Reasons, c.Reason.Label()); i >= 0 {
			t.refused[i] += c.Requests
		}
	}
}

// since is what was added to the totals.
func (t *totals) since(before *totals) sample {
	s := sample{known: true}
	grown(s.answers[:], t.answers[:], before.answers[:])
	grown(s.refused[:], t.refused[:], before.refused[:])
	grown(s.latency[:], t.latency[:], before.latency[:])
	return s
}

func grown(out []uint32, now, before []uint64) {
	for i := range out {
		out[i] = uint32(min(math.MaxUint32, now[i]-min(now[i], before[i])))
	}
}
