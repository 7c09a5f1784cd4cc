package quota

import (
	"math/rand/v2"
	"time"

	"github.com/stanch-go/stanch/internal/agenda"
)

const (
	ms     = int64(time.Millisecond)
	second = int64(time.Second)
)

// A fleet is many instances on one store in explicit time: requests come evenly
// at each, and messages take a millisecond or two each way, or are lost.
type fleet struct {
	t      fataler
	rand   *rand.Rand
	store  *Memory
	all    []*instance
	agenda agenda.Agenda
	now    int64
	lost   func(i int, now int64) bool // whether a message of the instance is lost now

	trips   int
	offered int
	admit   int
}

type instance struct {
	q       *Leased
	every   int64 // between two requests
	crashed bool
	waiting []int64 // when each of those that wait came
	offered int
	admit   int
}

func (f *fleet) at(at int64, do func()) { f.agenda.At(at, do) }

const key = "tenant"

// newFleet makes instances to which demand[i] requests a second come.
func newFleet(t fataler, cfg Config, demand []float64) *fleet {
	f := &fleet{t: t, rand: rand.New(rand.NewPCG(1, 2)), store: NewMemory(0)}
	f.lost = func(int, int64) bool { return false }
	for i, d := range demand {
		q, err := NewLeased(cfg, f.store, Options{Rand: f.rand.Float64})
		if err != nil {
			t.Fatal(err)
		}
		in := &instance{q: q, every: int64(float64(second) / d)}
		f.all = append(f.all, in)
		f.at(f.rand.Int64N(in.every), func() { f.request(i) })
		f.at(f.rand.Int64N(60*ms), func() { f.tick(i) })
	}
	return f
}

func (f *fleet) run(until int64) {
	f.agenda.Run(until, &f.now)
	f.now = until
}

func (f *fleet) request(i int) {
	in := f.all[i]
	if in.crashed {
		return
	}
	f.at(f.now+in.every, func() { f.request(i) })
	f.offered++
	in.offered++
	f.decide(i, f.now, true)
}

// decide is what Allow does: it asks, or waits for whoever does.
func (f *fleet) decide(i int, came int64, first bool) {
	in := f.all[i]
	d, next, err := in.q.decide(f.now, in.q.set.Load(), key, 1, first)
	switch next {
	case failing:
		d = without(f.now, in.q.set.Load(), in.q.shares, key, 1, err, 0)
	case askNow, await:
		if f.now-came >= int64(in.q.set.Load().Timeout) {
			return
		}
		in.waiting = append(in.waiting, came)
		if t, ok := in.q.AskAt(f.now, key, 1); ok {
			f.send(i, []Take{t})
		}
		return
	}
	if d.OK {
		f.admit++
		in.admit++
	}
}

func (f *fleet) tick(i int) {
	in := f.all[i]
	if in.crashed {
		return
	}
	if takes := in.q.DueAt(f.now); len(takes) > 0 {
		f.send(i, takes)
	}
	f.at(f.now+int64(in.q.set.Load().period)/4, func() { f.tick(i) })
}

// send takes the way there and back. What is lost on either is noticed by the
// timeout, and only by that.
func (f *fleet) send(i int, takes []Take) {
	in := f.all[i]
	f.trips++
	way := func() int64 { return ms/2 + f.rand.Int64N(2*ms) }
	answered := false
	if !f.lost(i, f.now) {
		f.at(f.now+way(), func() {
			grants := make([]Grant, len(takes))
			for n, t := range takes {
				grants[n] = f.store.TakeAt(f.now, t)
			}
			if f.lost(i, f.now) {
				return
			}
			f.at(f.now+way(), func() {
				answered = true
				for n, t := range takes {
					in.q.GrantedAt(f.now, t, grants[n])
				}
				f.wake(i)
			})
		})
	}
	f.at(f.now+int64(in.q.set.Load().Timeout), func() {
		if !answered {
			for _, t := range takes {
				in.q.FailedAt(f.now, t, ErrTimeout)
			}
			f.wake(i)
		}
	})
}

func (f *fleet) wake(i int) {
	in := f.all[i]
	waiting := in.waiting
	in.waiting = nil
	for _, came := range waiting {
		if !in.crashed {
			f.decide(i, came, false)
		}
	}
}

// held is what all that live hold unspent.
func (f *fleet) held() float64 {
	sum := 0.0
	for _, in := range f.all {
		if !in.crashed {
			sum += in.q.Stats().Held
		}
	}
	return sum
}

// skewed is the demand of n instances by Zipf's law: the second has half of what
// the first has, the third a third.
func skewed(n int, total float64) []float64 {
	d := make([]float64, n)
	sum := 0.0
	for i := range d {
		d[i] = 1 / float64(i+1)
		sum += d[i]
	}
	for i := range d {
		d[i] *= total / sum
	}
	return d
}

func even(n int, total float64) []float64 {
	d := make([]float64, n)
	for i := range d {
		d[i] = total / float64(n)
	}
	return d
}

// A fataler is a *testing.T or a *rapid.T.
type fataler interface{ Fatal(...any) }
