package proxy

import (
	"sync"
	"time"

	"github.com/stanch-go/stanch"
)

// An Event is something that an operator wants to know of.
type Event struct {
	Number     uint64    `json:"number"` // counted from 1; a gap means that some were missed
	At         time.Time `json:"at"`
	Kind       string    `json:"kind"` // one of the Kind constants
	Dependency string    `json:"dependency,omitempty"`
	From       string    `json:"from,omitempty"` // of a transition: the states of the breaker
	To         string    `json:"to,omitempty"`
	Text       string    `json:"text"`
}

// The kinds of events.
const (
	KindTransition = "transition" // a breaker changed its state
	KindReload     = "reload"     // another policy is in force
	KindRejected   = "rejected"   // a policy was faulty, the one before stays in force
	KindFault      = "fault"      // a fault was set or cleared
	KindQuota      = "quota"      // the store of a quota does not answer, or answers again
	KindDrain      = "drain"      // the proxy is ending
)

// history is how many events are kept.
const history = 1000

// Events keeps the last thousand events and hands new ones out. Its methods are
// safe for concurrent use.
type Events struct {
	mu        sync.Mutex
	last      uint64
	kept      []Event // a ring, once it is full
	listeners map[chan Event]struct{}
}

func newEvents() *Events { return &Events{listeners: map[chan Event]struct{}{}} }

func (e *Events) add(ev Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	ev.Number, ev.At = e.last, time.Now()
	if len(e.kept) < history {
		e.kept = append(e.kept, ev)
	} else {
		e.kept[(e.last-1)%history] = ev
	}
	for l := range e.listeners {
		select {
		case l <- ev:
		default: // who does not listen misses it, and sees a gap
		}
	}
}

// Since returns the events that are kept with a number above n, in order.
func (e *Events) Since(n uint64) []Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	first := e.last - uint64(len(e.kept)) // before the oldest
	var out []Event
	for n = max(n, first); n < e.last; n++ {
		out = append(out, e.kept[n%history])
	}
	return out
}

// Listen returns a channel of the events from now on, and what ends it. Whoever
// does not keep up misses some.
func (e *Events) Listen() (<-chan Event, func()) {
	l := make(chan Event, 64)
	e.mu.Lock()
	e.listeners[l] = struct{}{}
	e.mu.Unlock()
	return l, func() {
		e.mu.Lock()
		delete(e.listeners, l)
		e.mu.Unlock()
	}
}

func (p *Proxy) transition(name string, e stanch.Event) {
	from, to := e.From.String(), e.To.String()
	p.events.add(Event{Kind: KindTransition, Dependency: name, From: from, To: to, Text: "breaker " + from + " -> " + to})
	p.options.Log.Warn("breaker", "dependency", name, "from", from, "to", to)
}
