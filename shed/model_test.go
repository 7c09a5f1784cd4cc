package shed

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/stanch-go/stanch/internal/agenda"
	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/outcome"
)

const (
	ms     = int64(time.Millisecond)
	second = int64(time.Second)
)

func seeded(n uint64) *rand.Rand { return rand.New(rand.NewPCG(n, n)) }

// world is users with requests of four priorities, a shedder and a service that takes
// as long for each as it takes for one alone, as long as the limit is kept.
type world struct {
	cfg     Config
	limiter Limiter
	rate    func(at int64) float64               // requests a second, at random instants
	mix     [priorities]float64                  // shares, of one
	users   int                                  // each with a level; 0: nobody is known
	service func(at int64, rnd *rand.Rand) int64 // what a request takes
	budget  int64                                // time that a request has; 0: any

	shedder *Shedder
	rnd     *rand.Rand
	now     int64
	agenda  agenda.Agenda
	history []stretch
	served  []int64 // time of those served, waits included, after the first 5 s
	waited  int
	fates   map[Level][2]int // of users of one priority: served, refused
}

// stretch is what happened in a second.
type stretch struct {
	offered, served [priorities]int
	lowest          int
	reasons         map[Reason]int
}

func constant[T any](x T) func(int64) T { return func(int64) T { return x } }

// around draws a time within half of the mean.
func around(mean int64) func(int64, *rand.Rand) int64 {
	return func(_ int64, rnd *rand.Rand) int64 { return mean/2 + rnd.Int64N(mean) }
}

func (w *world) play(seconds int) []stretch {
	w.rnd = seeded(7)
	w.shedder = must(New(w.cfg, w.limiter, w.rnd))
	w.history = make([]stretch, seconds)
	w.fates = map[Level][2]int{}
	w.at(0, w.arrive)
	w.agenda.Run(int64(seconds)*second-1, &w.now)
	return w.history
}

func (w *world) second() *stretch {
	s := &w.history[w.now/second]
	if s.reasons == nil {
		s.reasons = map[Reason]int{}
	}
	return s
}

func (w *world) at(at int64, do func()) { w.agenda.At(at, do) }

// waker is the waiter of a request in the model: a wake is an event.
type waker struct{ wake func() }

func (w waker) Wake()                                     { w.wake() }
func (w waker) Renew()                                    {}
func (waker) Wait(context.Context, int64) (e clock.Ended) { return e }

func (w *world) arrive() {
	w.at(w.now+1+int64(w.rnd.ExpFloat64()*float64(second)/w.rate(w.now)), w.arrive)
	r := Request{Priority: w.draw()}
	if w.users > 0 {
		r.Level = Level(mix(uint64(w.rnd.IntN(w.users)))%Levels) + 1
	}
	if w.budget > 0 {
		r.Until = w.now + w.budget
	}
	s := w.second()
	s.offered[r.Priority.index()]++
	s.lowest = int(w.shedder.lowest.Load())
	start := w.now
	end := func(p Permit, d Decision) { w.run(r, start, p, d) }

	if why, ok := w.shedder.pass(w.now, r); !ok {
		end(w.shedder.refuse(w.now, r.Priority, why))
		return
	}
	done := false
	x := &waiter{priority: r.Priority, since: w.now}
	settle := func() {
		if !done {
			done = true
			end(w.shedder.settle(w.now, x, r.Until, false))
		}
	}
	x.Waiter = waker{func() { w.at(w.now, settle) }}
	permit, until, ok := w.shedder.enter(x, w.shedder.limit(), r.Until)
	switch {
	case !ok:
		end(w.shedder.refuse(w.now, r.Priority, full))
	case permit != (Permit{}):
		end(permit, Decision{OK: true})
	default:
		w.waited++
		w.at(max(until, w.now), settle)
	}
}

func (w *world) run(r Request, start int64, p Permit, d Decision) {
	late := w.now > 5*second
	if late && r.Priority == Sheddable && r.Level > 0 {
		f := w.fates[r.Level]
		if d.OK {
			f[0]++
		} else {
			f[1]++
		}
		w.fates[r.Level] = f
	}
	if !d.OK {
		w.second().reasons[d.Reason]++
		return
	}
	took := w.service(w.now, w.rnd)
	w.at(w.now+took, func() {
		w.second().served[r.Priority.index()]++
		if late {
			w.served = append(w.served, w.now-start)
		}
		w.shedder.DoneAt(w.now, p, outcome.Success, time.Duration(took))
	})
}

func (w *world) draw() Priority {
	x := w.rnd.Float64()
	for i, share := range w.mix {
		if x -= share; x < 0 {
			return Sheddable + Priority(i)
		}
	}
	return CriticalPlus
}

// quantile of the times of those served.
func (w *world) quantile(q float64) time.Duration {
	slices.Sort(w.served)
	return time.Duration(w.served[int(q*float64(len(w.served)-1))])
}

func sum(history []stretch, figure func(stretch) int) (n int) {
	for _, s := range history {
		n += figure(s)
	}
	return n
}

func served(s stretch) (n int) {
	for _, x := range s.served {
		n += x
	}
	return n
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
