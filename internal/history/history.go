// Package history holds concurrent code against a sequential oracle. It is for
// tests.
//
// Goroutines do short scripts of operations at the same time, and what came of
// each is kept with when it began and ended. The code is right if there is an
// order of all operations in which the oracle, doing one after the other, comes
// to the same results, and in which none that had ended before another began
// comes after it. That is linearizability (Herlihy and Wing 1990), and the
// search for such an order is that of Wing and Gong (1993): try each operation
// that may be next, and remember what has failed.
package history

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// An Op does something to what is tested and returns what the oracle makes of it:
// its state afterwards, and whether it comes to the same result.
type Op[State comparable] func() Check[State]

// A Check is one operation of the oracle.
type Check[State comparable] func(State) (State, bool)

// spins is how often a goroutine looks whether the others are there before it
// lets them run: it shall not be asleep when they are.
const spins = 100

type event[State comparable] struct {
	began, ended int64
	check        Check[State]
}

// Play does the scripts at the same time, each on a goroutine of its own, and
// reports whether there is an order that explains what came of them, from the
// state in which the oracle is. At most 64 operations in all.
func Play[State comparable](start State, scripts ...[]Op[State]) bool {
	var clock atomic.Int64
	var ready atomic.Int32
	var done sync.WaitGroup
	events := make([][]event[State], len(scripts))
	for i, script := range scripts {
		done.Go(func() {
			ready.Add(1)
			for i := 1; ready.Load() < int32(len(scripts)); i++ { // they begin at once, or they would not meet
				if i%spins == 0 {
					runtime.Gosched()
				}
			}
			for _, op := range script {
				began := clock.Add(1)
				check := op()
				events[i] = append(events[i], event[State]{began, clock.Add(1), check})
			}
		})
	}
	done.Wait()
	s := search[State]{failed: map[place[State]]bool{}}
	for _, e := range events {
		s.events = append(s.events, e...)
	}
	return s.from(place[State]{state: start})
}

// place is how far a search has come: which operations have been done, and the
// state they have led to.
type place[State comparable] struct {
	done  uint64
	state State
}

type search[State comparable] struct {
	events []event[State]
	failed map[place[State]]bool
}

func (s *search[State]) from(p place[State]) bool {
	if p.done == 1<<len(s.events)-1 {
		return true
	}
	if s.failed[p] {
		return false
	}
	first := s.firstEnd(p)
	for i, e := range s.events {
		if p.done>>i&1 == 1 || e.began > first {
			continue
		}
		if next, fits := e.check(p.state); fits && s.from(place[State]{p.done | 1<<i, next}) {
			return true
		}
	}
	s.failed[p] = true
	return false
}

// firstEnd is when the first of those that are left ended: what began later
// comes after it.
func (s *search[State]) firstEnd(p place[State]) int64 {
	first := int64(1<<63 - 1)
	for i, e := range s.events {
		if p.done>>i&1 == 0 {
			first = min(first, e.ended)
		}
	}
	return first
}
