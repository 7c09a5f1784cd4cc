package adaptive

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"time"

	"github.com/stanch-go/stanch/outcome"
)

const (
	ms     = int64(time.Millisecond)
	second = int64(time.Second)
)

// world is callers, a limiter and a dependency: workers with one queue in front
// of them, in which calls wait their turn without bound.
type world struct {
	cfg     Config
	rate    func(at int64) float64               // calls a second, at random instants
	workers func(at int64) int                   // the capacity
	service func(at int64, rnd *rand.Rand) int64 // what a worker takes for a call
	paused  func(at int64) (until int64)         // nothing ends before; 0 if nothing pauses
	timeout int64                                // of the callers; 0 if they wait for ever
	seed    uint64

	limiter *Limiter
	rnd     *rand.Rand
	now     int64
	events  events
	busy    int
	queue   []*call
	history []stretch
}

// stretch is what happened in a second.
type stretch struct {
	limit             float64 // its mean
	highest           int
	ok, lost, refused int
	took              int64 // of the ok, in all
	reason            Reason
}

type call struct {
	permit Permit
	start  int64
	ended  bool // for its caller
}

func constant[T any](x T) func(int64) T { return func(int64) T { return x } }

// around draws a time within half of the mean.
func around(mean int64, rnd *rand.Rand) int64 { return mean/2 + rnd.Int64N(mean) }

func fixed(mean int64) func(int64, *rand.Rand) int64 {
	return func(_ int64, rnd *rand.Rand) int64 { return around(mean, rnd) }
}

func (w *world) play(seconds int) []stretch {
	w.limiter = must(New(w.cfg))
	w.rnd = rand.New(rand.NewPCG(1, w.seed))
	w.history = make([]stretch, seconds)
	const tick = 50 * ms
	var look func()
	look = func() {
		s := w.second()
		n := w.limiter.Limit()
		s.limit += float64(n) * float64(tick) / float64(second)
		s.highest = max(s.highest, n)
		s.reason = w.limiter.Stats().Reason
		w.at(w.now+tick, look)
	}
	w.at(0, look)
	w.at(0, w.arrive)
	for len(w.events) > 0 && w.events[0].at < int64(seconds)*second {
		e := heap.Pop(&w.events).(event)
		w.now = e.at
		e.do()
	}
	return w.history
}

func (w *world) second() *stretch { return &w.history[w.now/second] }

func (w *world) at(at int64, do func()) {
	heap.Push(&w.events, event{at, len(w.events), do})
}

func (w *world) arrive() {
	w.at(w.now+int64(w.rnd.ExpFloat64()*float64(second)/w.rate(w.now)), w.arrive)
	permit, ok := w.limiter.AcquireAt(w.now)
	if !ok {
		w.second().refused++
		return
	}
	c := &call{permit: permit, start: w.now}
	if w.timeout > 0 {
		w.at(w.now+w.timeout, func() { w.end(c, outcome.Failure) })
	}
	w.queue = append(w.queue, c)
	w.work()
}

func (w *world) end(c *call, o outcome.Outcome) {
	if c.ended {
		return
	}
	c.ended = true
	s := w.second()
	if o == outcome.Success {
		s.ok++
		s.took += w.now - c.start
	} else {
		s.lost++
	}
	w.limiter.DoneAt(w.now, c.permit, o, time.Duration(w.now-c.start))
}

func (w *world) work() {
	for len(w.queue) > 0 && w.busy < w.workers(w.now) {
		c := w.queue[0]
		w.queue = w.queue[1:]
		w.busy++
		until := w.now + w.service(w.now, w.rnd)
		if w.paused != nil {
			until = max(until, w.paused(until))
		}
		w.at(until, func() {
			w.busy--
			w.end(c, outcome.Success)
			w.work()
		})
	}
}

// mean of a figure over some seconds.
func mean(history []stretch, figure func(stretch) float64) float64 {
	sum := 0.0
	for _, s := range history {
		sum += figure(s)
	}
	return sum / float64(len(history))
}

func limitOf(s stretch) float64 { return s.limit }
func okOf(s stretch) float64    { return float64(s.ok) }

// within asks how far the figures of some seconds are from a value, at most, as
// a share of it.
func within(history []stretch, figure func(stretch) float64, value float64) float64 {
	worst := 0.0
	for _, s := range history {
		worst = max(worst, math.Abs(figure(s)-value)/value)
	}
	return worst
}

type event struct {
	at  int64
	seq int
	do  func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].seq < e[j].seq
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	*e = (*e)[:last]
	return x
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
