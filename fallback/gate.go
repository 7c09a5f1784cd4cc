package fallback

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Limits bound the alternatives of one dependency.
type Limits struct {
	// Timeout is the time that one alternative is given, as the deadline of
	// its context. Default 50ms; must not be negative.
	Timeout time.Duration `yaml:"timeout"`
	// Concurrent is how many calls may be inside one alternative (one name)
	// at once; further ones skip it. Default 64; must not be negative.
	Concurrent int `yaml:"concurrent"`
}

// Validate returns all faults of the limits.
func (l Limits) Validate() error {
	var faults []error
	if l.Timeout < 0 {
		faults = append(faults, negative("timeout", l.Timeout))
	}
	if l.Concurrent < 0 {
		faults = append(faults, negative("concurrent", l.Concurrent))
	}
	return errors.Join(faults...)
}

func negative(field string, value any) error {
	return fmt.Errorf("%s: must not be negative, is %v", field, value)
}

// defaulted returns the value, or the default where it is zero.
func defaulted[N int | int64 | time.Duration](value, byDefault N) N {
	if value == 0 {
		return byDefault
	}
	return value
}

// Bound derives a context that ends after the timeout, as
// context.WithTimeout does.
type Bound func(parent context.Context, timeout time.Duration) (context.Context, context.CancelFunc)

// Gate enforces the Limits for all calls of one dependency. Places are counted
// for each name apart, so that one alternative that hangs does not close the
// others. It is safe for concurrent use.
type Gate struct {
	timeout time.Duration
	most    int64
	within  Bound

	places atomic.Pointer[[]*place] // copied on write
	mu     sync.Mutex               // serialises writers of places
}

// A place counts the calls inside the alternatives of one name.
type place struct {
	name  string
	inUse atomic.Int64
}

// maxNames bounds the memory of a gate. Names are few and fixed; where they
// are made up as calls come, those beyond it share one place.
const maxNames = 32

// NewGate returns the gate, or the faults of the limits. within bounds each
// alternative; nil means context.WithTimeout.
func NewGate(limits Limits, within Bound) (*Gate, error) {
	if err := limits.Validate(); err != nil {
		return nil, err
	}
	if within == nil {
		within = context.WithTimeout
	}
	limits = limits.Effective()
	g := &Gate{timeout: limits.Timeout, most: int64(limits.Concurrent), within: within}
	g.places.Store(new([]*place))
	return g, nil
}

// place returns the counter of that name.
func (g *Gate) place(name string) *place {
	if p := find(*g.places.Load(), name); p != nil {
		return p
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	known := *g.places.Load()
	if len(known) >= maxNames {
		name = "" // which no alternative has
	}
	p := find(known, name)
	if p == nil {
		p = &place{name: name}
		grown := append(known[:len(known):len(known)], p)
		g.places.Store(&grown)
	}
	return p
}

func find(places []*place, name string) *place {
	for _, p := range places {
		if p.name == name {
			return p
		}
	}
	return nil
}

// enter takes a place if fewer than most are taken. It compares and swaps, for
// an add that is taken back would turn away others while it stands.
func (p *place) enter(most int64) bool {
	for {
		n := p.inUse.Load()
		if n >= most {
			return false
		}
		if p.inUse.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (p *place) leave() { p.inUse.Add(-1) }
