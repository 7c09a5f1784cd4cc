package bulkhead

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/internal/history"
)

const modelLimit, modelRoom = 2, 2

// picture is a bulkhead with a queue in the order of arrival, as the model has it:
// the names of those who wait.
type picture struct {
	held  int
	queue [modelRoom]int
}

func (p picture) waiting() (n int) {
	for n < modelRoom && p.queue[n] != 0 {
		n++
	}
	return n
}

// without takes the i-th off the queue.
func (p picture) without(i int) picture {
	copy(p.queue[i:], p.queue[i+1:])
	p.queue[modelRoom-1] = 0
	return p
}

func (p picture) place(name int) int {
	for i, n := range p.queue {
		if n == name {
			return i
		}
	}
	return -1
}

func (p picture) release() picture {
	if p.waiting() > 0 {
		return p.without(0)
	}
	p.held--
	return p
}

// silent is a waiter that nobody waits on: the test looks whether it was granted.
type silent struct{}

func (silent) Wake()                                   {}
func (silent) Renew()                                  {}
func (silent) Wait(context.Context, int64) clock.Ended { return clock.Woken }

// TestOneOrderExplainsTheWord plays acquires, releases and waits at the same time.
// An acquire and a release are single steps on the word, and the queue is under a
// lock: both must fit into one order. In it nobody overtakes the queue, no permit
// is had twice, and none is free while somebody waits.
func TestOneOrderExplainsTheWord(t *testing.T) {
	for round := range 2000 {
		rnd := rand.New(rand.NewPCG(uint64(round), 6))
		b := must(New(Config{Limit: modelLimit, Queue: modelRoom, MaxWait: time.Second}))
		names := 0
		script := func() []history.Op[picture] {
			c := &scripted{b: b}
			ops := make([]history.Op[picture], 16)
			for i := range ops {
				names++
				name := names
				ops[i] = []history.Op[picture]{c.try, c.release, c.release, func() history.Check[picture] { return c.enter(name) }, c.look, c.leave}[rnd.IntN(6)]
			}
			return ops
		}
		if !history.Play(picture{}, script(), script(), script()) {
			t.Fatalf("round %d: no order explains what came of the calls; in the end %+v", round, b.StatsAt(0))
		}
	}
}

// scripted is a caller with what it has: permits, and at most one place in the queue.
type scripted struct {
	b    *Bulkhead
	held int
	wait *waiter
	name int
}

func nothing(p picture) (picture, bool) { return p, true }

func (c *scripted) try() history.Check[picture] {
	ok := c.b.TryAcquireAt(0)
	if ok {
		c.held++
	}
	return func(p picture) (picture, bool) {
		if p.held == modelLimit || p.waiting() > 0 {
			return p, !ok
		}
		p.held++
		return p, ok
	}
}

func (c *scripted) release() history.Check[picture] {
	if c.held == 0 {
		return nothing
	}
	c.held--
	c.b.ReleaseAt(0)
	return func(p picture) (picture, bool) { return p.release(), true }
}

func (c *scripted) enter(name int) history.Check[picture] {
	if c.wait != nil {
		return nothing
	}
	w := &waiter{Waiter: silent{}}
	admitted, err := c.b.enter(w, int64(time.Second))
	switch {
	case admitted:
		c.held++
	case err == nil:
		c.wait, c.name = w, name
	}
	return func(p picture) (picture, bool) {
		n := p.waiting()
		switch {
		case p.held < modelLimit && n == 0:
			p.held++
			return p, admitted
		case n == modelRoom:
			return p, errors.Is(err, ErrFull)
		}
		p.queue[n] = name
		return p, !admitted && err == nil
	}
}

// look finds a waiter to whom nobody has given what is free.
func (c *scripted) look() history.Check[picture] {
	if c.wait == nil {
		return nothing
	}
	name, granted := c.name, c.granted()
	return func(p picture) (picture, bool) { return p, granted == (p.place(name) < 0) }
}

func (c *scripted) granted() bool {
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	return c.wait.granted
}

// leave ends a wait: with the permit if there is one, and in vain if not.
func (c *scripted) leave() history.Check[picture] {
	if c.wait == nil {
		return nothing
	}
	name := c.name
	if !c.granted() {
		c.b.settle(c.wait, 0, int64(time.Second), context.Canceled)
		c.wait = nil
		return func(p picture) (picture, bool) {
			if i := p.place(name); i >= 0 {
				return p.without(i), true
			}
			return p.release(), true // it was granted while it was leaving
		}
	}
	ok := c.b.settle(c.wait, 0, int64(time.Second), nil) == nil
	c.wait = nil
	c.held++
	return func(p picture) (picture, bool) { return p, ok && p.place(name) < 0 }
}

// A release frees its permit before it looks for waiters. Here all that can come
// in between does: the waiter leaves, somebody takes the permit, another waits.
func TestReleaseThatComesTooLateGivesNothing(t *testing.T) {
	b := must(New(Config{Limit: 1, Queue: 1, MaxWait: time.Second}))
	b.TryAcquireAt(0)
	first, second := &waiter{Waiter: silent{}}, &waiter{Waiter: silent{}}
	b.enter(first, int64(time.Second))
	b.word.Add(^uint64(0))
	if b.TryAcquireAt(0) {
		t.Error("somebody overtook the waiter")
	}
	b.settle(first, 0, int64(time.Second), context.Canceled)
	if !b.TryAcquireAt(0) {
		t.Error("what is free and nobody waits for cannot be had")
	}
	b.enter(second, int64(time.Second))
	b.handOn(0)
	if s := b.StatsAt(0); second.granted || s.InFlight != 1 || s.Waiting != 1 {
		t.Errorf("granted %v, %+v", second.granted, s)
	}
	b.ReleaseAt(0)
	if !second.granted {
		t.Error("nobody gave the waiter what came free")
	}
}
