package proxy

import (
	"sync/atomic"

	"github.com/stanch-go/stanch"
)

// A life is what is known of a dependency by its name. It outlives policies.
type life struct {
	name     string
	proxy    *Proxy
	inFlight atomic.Int64 // requests, with their waits
	tunnels  atomic.Int64
	fault    atomic.Pointer[Fault]
	record
}

// lifeOf returns the life of a name. The caller holds swapping.
func (p *Proxy) lifeOf(name string) *life {
	l := p.lives[name]
	if l == nil {
		l = &life{name: name, proxy: p}
		p.lives[name] = l
	}
	return l
}

// observe tells the life of a dependency of its calls. All dependencies are built
// with the same options, and each becomes one observer of its own there: the
// name finds the life at the first event only.
func (p *Proxy) observe() stanch.Option {
	return func(d *stanch.Dependency) { stanch.WithObserver(p.lifeOf(d.Name()))(d) }
}

// Observe implements stanch.Observer.
func (l *life) Observe(e stanch.Event) {
	if e.Step == stanch.StepTransition {
		l.proxy.transition(l.name, e)
	}
	l.record.observe(e)
}
