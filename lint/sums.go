package lint

import (
	"math"
	"time"

	"github.com/stanch-go/stanch/retry"
)

// Sums are the three sums for one dependency.
type Sums struct {
	Dependency string        `json:"dependency"`
	Class      string        `json:"class,omitempty"`
	Time       Time          `json:"worst_time"`
	Fault      Fault         `json:"when_it_hangs"`
	Load       Amplification `json:"amplification"`
}

// Time is how long a call takes when everything goes wrong.
type Time struct {
	// WorstMs is the longest that a call takes; null: nothing ends it.
	WorstMs *float64 `json:"worst_ms"`
	// SumMs is what the attempts take one after the other, with their waits.
	SumMs *float64 `json:"sum_ms"`
	// CutBy is the key that ends the call before that.
	CutBy string `json:"cut_by,omitempty"`
	// Attempts is how often it is tried at most; AttemptMs, QueueMs and BackoffMs
	// are how long one attempt runs, how long it waits for a place before, and
	// how long all backoffs are together.
	Attempts  int      `json:"attempts"`
	AttemptMs *float64 `json:"attempt_ms"`
	QueueMs   float64  `json:"queue_ms"`
	BackoffMs float64  `json:"backoff_ms"`
	// Words say it.
	Words []string `json:"words"`
}

// Fault is what the service still serves when the dependency takes every call
// and answers none.
type Fault struct {
	// PerS is workers by the time held: the requests a second that are served, if
	// each of them calls the dependency and nothing but time bounds the calls. It
	// is 0 where no time does. Null: the workers are not known.
	PerS *float64 `json:"requests_per_s"`
	// PerWorkerPerS is the same of one worker.
	PerWorkerPerS float64 `json:"requests_per_worker_per_s"`
	// Workers is how many there are, Held how many of them the dependency can
	// hold at most, given its bulkhead. 0: not known.
	Workers int `json:"workers"`
	Held    int `json:"held_workers"`
	// OpensAfterMs is when the breaker opens at the earliest, after the first
	// call that hangs. Null: it does not.
	OpensAfterMs *float64 `json:"breaker_opens_after_ms"`
	// Words say it.
	Words []string `json:"words"`
}

// Amplification is how many calls can become of one.
type Amplification struct {
	// Attempts is the most for one call.
	Attempts int `json:"attempts"`
	// Bound is the mean over all calls of a long outage, as far as the budget and
	// the declared rate tell; else as Attempts.
	Bound float64 `json:"bound"`
	// Layers is the most for one request of the outermost caller, with the tries
	// of the layers above and below.
	Layers int64 `json:"with_layers"`
	// Words say it.
	Words []string `json:"words"`
}

// Unknown is a key that the file does not give.
type Unknown struct {
	Path string `json:"path"`
	// Without says what cannot be checked or computed.
	Without string `json:"without"`
}

func (w *world) sums() []Sums {
	sums := []Sums{}
	for _, c := range w.calls {
		sums = append(sums, Sums{
			Dependency: c.name, Class: string(c.Class),
			Time: c.timeSum(), Fault: c.faultSum(), Load: c.loadSum(),
		})
	}
	return sums
}

func (c *call) timeSum() Time {
	t := Time{
		WorstMs: ms(c.worst()), SumMs: ms(c.sum()), Attempts: c.attempts(), AttemptMs: ms(c.attempt()),
		QueueMs: *ms(min(c.queueWait(), never-1)), BackoffMs: *ms(min(c.backoff(), never-1)),
	}
	if d, by := c.shared(); d < c.sum() {
		t.CutBy = by
	}
	t.Words = c.timeWords()
	return t
}

func (c *call) faultSum() Fault {
	workers := c.world.file.Service.Workers
	f := Fault{PerWorkerPerS: round(perSecond(1, c.worst()), 4), Workers: workers, Held: c.held(workers)}
	if workers > 0 {
		f.PerS = new(round(perSecond(workers, c.worst()), 2))
	}
	if _, ok := c.opensAt(); ok && c.guarded() {
		f.OpensAfterMs = ms(c.judged())
	}
	f.Words = c.faultWords()
	return f
}

// opensAt returns how many failures in a row open the breaker while nothing
// succeeds, and whether so many can come together.
func (c *call) opensAt() (failures int, ok bool) {
	b := c.Breaker
	if !b.Enabled() || c.judged() == never {
		return 0, false
	}
	_, reach := c.reach()
	failures = b.MinCalls
	if b.Consecutive > 0 && (b.Consecutive < failures || reach < failures) {
		return b.Consecutive, true
	}
	return failures, reach >= failures
}

func (c *call) loadSum() Amplification {
	a := Amplification{Attempts: c.attempts(), Bound: c.outage(), Layers: c.tries()}
	a.Words = c.loadWords(a)
	return a
}

// outage is the mean of the attempts a call in a long outage.
func (c *call) outage() float64 {
	all := float64(c.attempts())
	perSecond, ok := c.grant()
	rate, _ := c.world.file.Service.Rates.Get(c.name)
	if !c.retries() || !ok || rate <= 0 {
		if ok && perSecond == 0 {
			return 1
		}
		return all
	}
	return round(min(all, 1+perSecond/rate), 3)
}

// grant is how many retries a second the budget grants while nothing succeeds,
// once what was saved is spent.
func (c *call) grant() (perSecond float64, ok bool) {
	b := c.Budget
	switch b.Kind {
	case retry.KindRatio:
		return (math.Floor(b.Ratio*float64(b.Floor)) + 1) / b.Window.Seconds(), true
	case retry.KindEarning:
		return b.Trickle, true
	case retry.KindToken:
		return 0, true
	}
	return 0, false
}

// tries multiplies the tries of all layers of which the call is one.
func (c *call) tries() int64 {
	product := int64(1)
	for _, t := range c.layers() {
		if product > math.MaxInt64/int64(t.n) {
			return math.MaxInt64
		}
		product *= int64(t.n)
	}
	return product
}

// A try is how often a layer tries.
type try struct {
	who string
	n   int
}

// layers are those that stand on each other, the outermost first.
func (c *call) layers() []try {
	var all []try
	for name, caller := range c.world.file.Layers.Callers.All() {
		all = append(all, try{name, caller.Attempts})
	}
	all = append(all, try{c.name, c.attempts()})
	for name, below := range c.world.file.Layers.Below.All() {
		if below.Under == c.name {
			all = append(all, try{name, below.Attempts})
		}
	}
	return all
}

func (w *world) unknown() []Unknown {
	var missing []Unknown
	if len(w.takings()) > 0 && w.file.Service.Instances == 0 {
		missing = append(missing, Unknown{"service.instances", "how much all instances together let in by a limit of each"})
	}
	if len(w.calls) == 0 {
		return missing
	}
	if w.file.Service.Workers == 0 {
		missing = append(missing, Unknown{"service.workers", "what is still served while a dependency hangs"})
	}
	if len(w.file.Service.Rates) == 0 {
		missing = append(missing, Unknown{"service.rates", "whether that is enough, and whether a breaker sees enough calls to open"})
	}
	if _, ok := w.patience(); !ok {
		missing = append(missing, Unknown{"service.deadline", "whether a call ends before those who wait for it leave"})
	} else if len(w.callers()) == 0 {
		missing = append(missing, Unknown{"layers.callers", "whether the service ends before those who wait for it leave, and how often they try"})
	}
	return missing
}

// ms is a time in milliseconds; nil is never.
func ms(d time.Duration) *float64 {
	if d == never {
		return nil
	}
	return new(round(float64(d)/1e6, 3))
}

func round(x float64, digits int) float64 {
	p := math.Pow10(digits)
	return math.Round(x*p) / p
}
