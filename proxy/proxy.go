package proxy

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/policy"
)

// A Proxy is the sidecar. Its methods are safe for concurrent use.
type Proxy struct {
	options Options
	events  *Events
	table   atomic.Pointer[table]
	via     string // how this proxy names itself to others

	usualVia []string // the Via header of what came by HTTP/1.1 and through nobody else

	swapping sync.Mutex // serialises Swap and guards lives
	lives    map[string]*life
	fault    atomic.Pointer[rejection] // of the last policy; nil if it was not refused

	life    context.Context // of everything that is in flight
	end     context.CancelFunc
	egress  *server
	ingress *server // nil when there is none
	began   time.Time
	drains  atomic.Bool

	tally      inbound.Tally  // of the requests to the service
	looksAfter sync.WaitGroup // quotas that have a store

	undeclared, loops atomic.Uint64 // requests to what is not there
}

// New builds a proxy, or returns everything that stands against it: addresses
// that cannot be listened on, certificates that cannot be read. It serves
// nothing yet.
func New(p *policy.Policy, o Options) (*Proxy, error) {
	px := &Proxy{options: o.withDefaults(), events: newEvents(), lives: map[string]*life{}, via: pseudonym(), began: time.Now()}
	px.usualVia = []string{"1.1 " + px.via}
	px.life, px.end = context.WithCancel(context.Background())
	if _, err := px.Swap(p); err != nil {
		return nil, err
	}
	if err := px.listen(p.Effective().Listen); err != nil {
		return nil, err
	}
	return px, nil
}

// Events are what happened: transitions, reloads, faults.
func (p *Proxy) Events() *Events { return p.events }

// Policy returns the policy in force.
func (p *Proxy) Policy() *policy.Policy { return p.table.Load().policy }

// Dependency returns the guard of a dependency, for instance to force its
// breaker; nil when the policy in force has none of that name.
func (p *Proxy) Dependency(name string) *stanch.Dependency {
	if r := p.table.Load().byName[name]; r != nil {
		return r.guard
	}
	return nil
}
