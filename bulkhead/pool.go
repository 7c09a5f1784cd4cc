package bulkhead

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// A Pool divides a fixed number of slots among shares. It keeps three rules:
//
//   - Never more permits are in flight than the pool has slots.
//   - A share below its guarantee is admitted at once. Others may borrow only
//     what leaves the unused guarantee of every share free.
//   - A slot that comes free goes to a waiter of a share below its guarantee,
//     if there is one, else to the share whose turn came first: the turn of a
//     share is the arrival of its oldest waiter, or, if it served a newer one
//     before that, the moment when it did.
//
// A share may weaken the second rule for itself, see [Share].Lend. A Pool is
// safe for concurrent use.
type Pool struct {
	size int

	mu       sync.Mutex // guards everything below and every share's state
	shares   []*Bulkhead
	promised int    // the sum of all guarantees
	lent     int    // the part of promised that may be lent
	free     int    // slots that are not in flight
	reserved int    // of these, held back for shares below their guarantee
	tickets  uint64 // drawn by waiters, in order of arrival
}

// Share describes one share of a pool. The zero value owns nothing, borrows up
// to the whole pool and refuses at once.
type Share struct {
	// Guaranteed is the slots that are this share's own. Default 0. All
	// guarantees together must not exceed the pool.
	Guaranteed int `yaml:"guaranteed"`
	// Max is the most calls in flight at once, own and borrowed slots together.
	// 0, the default, is the whole pool. At least Guaranteed, at most the pool.
	// It is what bounds a slow dependency: one that holds its slots for long
	// will in time hold all that it may borrow.
	Max int `yaml:"max"`
	// Lend lets others borrow this share's idle guaranteed slots. The pool is
	// then used better, but a burst of this share may find its slots out on
	// loan: it waits in its queue and has the next slots that come free, or is
	// refused if it has no queue. Default false: the guarantee is strict.
	Lend bool `yaml:"lend"`
	// Queue is the most calls that wait for a slot. 0, the default, refuses at
	// once. Range 0 to 2147483647.
	Queue int `yaml:"queue"`
	// MaxWait is the longest wait in the queue. Positive with Queue, else unused.
	MaxWait time.Duration `yaml:"max_wait"`
	// Order says which of this share's waiters is next: fifo (the default),
	// lifo or adaptive.
	Order Order `yaml:"order"`
	// Linger is how long the slot of an abandoned call stays taken; see
	// [Config].Linger.
	Linger time.Duration `yaml:"linger"`
}

// Validate returns every fault that shows without knowing the pool, each
// beginning with the name of the field.
func (s Share) Validate() error {
	var tooSmall error
	if s.Max > 0 && s.Max < s.Guaranteed {
		tooSmall = fmt.Errorf("max: must be at least guaranteed (%d), is %d", s.Guaranteed, s.Max)
	}
	return errors.Join(
		inRange("guaranteed", s.Guaranteed),
		inRange("max", s.Max),
		tooSmall,
		validQueue(s.Queue, s.MaxWait, s.Order),
		notNegative("linger", s.Linger),
	)
}

// NewPool returns a pool of so many slots, 1 to 2147483647.
func NewPool(size int) (*Pool, error) {
	if size < 1 || size > maxSlots {
		return nil, fmt.Errorf("size: must be 1 to %d, is %d", maxSlots, size)
	}
	return &Pool{size: size, free: size}, nil
}

// Share adds a share, or returns its faults. A name is taken once. Add all
// shares before the pool is used: a strict guarantee cannot be given of slots
// that are on loan at that moment, and is refused.
func (p *Pool) Share(name string, s Share) (*Bulkhead, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := errors.Join(s.Validate(), p.fits(name, s)); err != nil {
		return nil, fmt.Errorf("share %q: %w", name, err)
	}
	if s.Max == 0 {
		s.Max = p.size
	}
	b := newBulkhead(s.Max, s.Queue, s.MaxWait, s.Order)
	b.mu = &p.mu
	b.linger = s.Linger
	b.share = &share{pool: p, name: name, guaranteed: uint64(s.Guaranteed), lend: s.Lend}
	p.shares = append(p.shares, b)
	p.promised += s.Guaranteed
	if s.Lend {
		p.lent += s.Guaranteed
	} else {
		p.reserved += s.Guaranteed
	}
	return b, nil
}

// fits returns the faults that a new share has in this pool.
func (p *Pool) fits(name string, s Share) error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	own := max(s.Guaranteed, 0)
	strict := own
	if s.Lend {
		strict = 0
	}
	if s.Max > p.size {
		fault("max: must be at most the pool (%d), is %d", p.size, s.Max)
	}
	if left := p.size - p.promised; own > left {
		fault("guaranteed: must be at most what is left of the pool (%d of %d), is %d", left, p.size, own)
	} else if left := p.free - p.reserved; strict > left {
		fault("guaranteed: only %d slots are not on loan, is %d; add shares before the pool is used", left, own)
	}
	// A share that owns nothing lives on what is not held back for others.
	common := p.size - (p.promised - p.lent) - strict
	if own == 0 && common == 0 {
		fault("guaranteed: must be positive, all slots are guaranteed to others that do not lend")
	}
	for _, other := range p.shares {
		if other.name == name {
			fault("name: is taken")
		}
		if common == 0 && other.guaranteed == 0 {
			fault("guaranteed: would leave no slot for share %q, which owns none", other.name)
		}
	}
	return errors.Join(errs...)
}
