package proxy

import (
	"time"

	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/internal/clock"
)

// Status is what the proxy knows at one instant.
type Status struct {
	At       time.Time `json:"at"`
	Since    time.Time `json:"since"` // when the process began
	Draining bool      `json:"draining"`
	Policy   struct {
		Path    string    `json:"path"`
		Hash    string    `json:"hash"`
		Since   time.Time `json:"since"`             // when it came into force
		Fault   string    `json:"fault,omitempty"`   // why a later one was refused
		FaultAt time.Time `json:"fault_at,omitzero"` // when that was
	} `json:"policy"`
	// Egress and Ingress are the listeners; Ingress is nil when there is none.
	Egress  *ListenerStatus `json:"egress"`
	Ingress *ListenerStatus `json:"ingress,omitempty"`
	// Undeclared and Loops are requests to what is not in the policy, and to the
	// proxy itself.
	Undeclared uint64 `json:"undeclared"`
	Loops      uint64 `json:"loops"`
	// Inbound is what is known of the requests to the service; nil when the policy
	// takes everything in.
	Inbound *InboundStatus `json:"inbound"`
	// Dependencies in the order of the file; the service behind the ingress, if
	// there is one, is the last.
	Dependencies []DependencyStatus `json:"dependencies"`
}

// ListenerStatus is what is known of a listener.
type ListenerStatus struct {
	Address     string `json:"address"`
	Connections int    `json:"connections"` // of clients, now
	Most        int    `json:"most"`        // that there may be
	Requests    int    `json:"requests"`    // in flight, tunnels among them
}

// InboundStatus is what is known of the requests to the service.
type InboundStatus struct {
	Service string         // its name
	Counts  inbound.Counts // since the process began
	Stats   inbound.Stats  // now
}

// DependencyStatus is what is known of a dependency. All counts are since the
// process began.
type DependencyStatus struct {
	Name  string `json:"name"`
	Local bool   `json:"local,omitempty"` // the service behind the ingress
	// Breaker is its state; empty when there is none.
	Breaker string `json:"breaker,omitempty"`
	// Transitions of the breaker, by the state that was reached.
	Transitions map[string]uint64 `json:"transitions,omitempty"`
	InFlight    int               `json:"in_flight"` // requests, with their waits
	Tunnels     int               `json:"tunnels"`
	// Bulkhead is nil when there is none.
	Bulkhead *bulkhead.Stats `json:"bulkhead,omitempty"`
	// Balance is the retries that the budget would grant now; nil without one.
	Balance *float64 `json:"balance,omitempty"`

	Calls      map[string]uint64 `json:"calls"`           // by result
	Attempts   map[string]uint64 `json:"attempts"`        // by result
	Refused    map[string]uint64 `json:"refused"`         // by reason
	Retries    map[string]uint64 `json:"retries_refused"` // by reason
	Degraded   map[string]uint64 `json:"degraded"`        // answers by source
	Unanswered uint64            `json:"unanswered"`      // by no alternative either
	Latency    Histogram         `json:"latency"`         // of calls with an attempt, until the header
	Queued     Histogram         `json:"queued"`          // in the bulkhead's queue, of each attempt
	Executed   Histogram         `json:"executed"`        // each attempt without its waits, until the header
	Kept       int               `json:"kept"`            // last good answers
	KeptBytes  int64             `json:"kept_bytes"`
	Fault      *Fault            `json:"fault,omitempty"` // that strikes now
}

// Status returns what the proxy knows now.
func (p *Proxy) Status() Status {
	t := p.table.Load()
	s := Status{
		At: time.Now(), Since: p.began, Draining: p.drains.Load(),
		Egress: p.egress.status(), Ingress: p.ingress.status(),
		Undeclared: p.undeclared.Load(), Loops: p.loops.Load(),
	}
	s.Policy.Path, s.Policy.Hash, s.Policy.Since = t.policy.Path, t.policy.Hash, t.since
	if fault := p.fault.Load(); fault != nil {
		s.Policy.Fault, s.Policy.FaultAt = fault.text, fault.at
	}
	for _, r := range t.order {
		s.Dependencies = append(s.Dependencies, r.status())
	}
	if t.intake != nil {
		s.Inbound = &InboundStatus{t.intake.control.Name(), p.tally.Counts(), t.intake.control.Stats()}
	}
	if t.ingress != nil {
		s.Dependencies = append(s.Dependencies, t.ingress.status())
	}
	return s
}

func (r *route) status() DependencyStatus {
	now := clock.Real.Now()
	l := r.life
	s := DependencyStatus{
		Name: r.name, Local: r.ingress,
		InFlight: int(l.inFlight.Load()), Tunnels: int(l.tunnels.Load()),
		Calls: l.calls.read(results), Attempts: l.attempts.read(results),
		Refused: l.refused.read(reasons), Retries: l.retries.read(reasons),
		Degraded: l.degraded.read(sources), Unanswered: l.unanswered.Load(),
		Latency: histogramOf(&l.latency), Queued: histogramOf(&l.queued), Executed: histogramOf(&l.executed),
	}
	if b := r.guard.Breaker(); b != nil {
		s.Breaker, s.Transitions = b.StateAt(now).String(), l.transitions.read(states)
	}
	if b := r.guard.Bulkhead(); b != nil {
		s.Bulkhead = new(b.StatsAt(now))
	}
	if b := r.guard.Budget(); b != nil {
		s.Balance = new(b.BalanceAt(now))
	}
	if last := r.answers.last; last != nil {
		s.Kept, s.KeptBytes = last.store.Len(), last.store.Bytes()
	}
	if f := l.fault.Load(); l.active(f) {
		s.Fault = f
	}
	return s
}
