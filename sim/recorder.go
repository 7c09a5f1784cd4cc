package sim

import (
	"math"
	"sync"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/shed"
)

// A Recorder turns what happens in a run into figures. Its memory does not grow
// with the length of the run: latencies go into histograms, what is shown over
// time into a fixed number of steps; only windows and completions, which are
// results, grow by a number each. It is safe for concurrent use, since in real
// mode the run is.
type Recorder struct {
	mu       sync.Mutex
	model    *Model
	classes  []*class
	names    map[string]int
	total    *class
	depends  map[string]*arrivals
	doors    map[string]*doorRecord
	ranks    map[shed.Priority]*PriorityResult // nil: requests have none
	series   *Series
	calls    int64
	orphaned int64
}

// class is the count of one load's requests.
type class struct {
	name                       string
	sent, ok, degraded, failed int64
	refused                    map[string]int64
	refusals                   int64
	turned                     int64     // of these, at the door
	last                       int64     // the last answer
	served, others, fault      latencies // served and others are all, fault a part of them
	perSecond, okPerSecond     []int64
	firstSuccess               int64 // completion of the first ok after the fault; -1 none
	lastOther                  int64 // arrival of the last request after the fault that was not ok
	fullFrom                   int64 // arrival of the first ok after lastOther; -1 none
	fullTo                     int64 // arrival of the last ok since
	fullDone                   bool
}

// fullRateSpan is for how long every request must have been answered by the
// dependency before the full rate counts as back.
const fullRateSpan = int64(500 * time.Millisecond)

// maxLatency is what a histogram can hold; longer ones count as this.
const maxLatency = 10 * time.Minute

func newClass(name string) *class {
	return &class{
		name: name, refused: map[string]int64{},
		served: newLatencies(), others: newLatencies(), fault: newLatencies(),

		firstSuccess: -1, lastOther: -1, fullFrom: -1,
	}
}

// arrivals is what reached one dependency.
type arrivals struct {
	calls, fault int64
	peak         int
	windows      []int64
	transitions  []Transition
	series       *DependencySeries
}

// NewRecorder returns a recorder for one run of m.
func NewRecorder(m *Model) *Recorder {
	r := &Recorder{model: m, total: newClass(""), names: map[string]int{}, depends: map[string]*arrivals{}}
	r.series = newSeries(m)
	r.doors = newDoors(r, m)
	if m.ranked() {
		r.ranks = map[shed.Priority]*PriorityResult{}
		for _, p := range priorities {
			r.ranks[p] = new(PriorityResult)
		}
	}
	for _, d := range m.Dependencies {
		r.depends[d.Key] = &arrivals{series: r.series.Dependencies[d.Key]}
	}
	return r
}

// Class returns the number of the load of that name.
func (r *Recorder) Class(name string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	i, ok := r.names[name]
	if !ok {
		i = len(r.classes)
		r.names[name] = i
		r.classes = append(r.classes, newClass(name))
	}
	return i
}

// Sent counts a request that a load sent at the instant, in nanoseconds from
// the start of the run.
func (r *Recorder) Sent(class int, at int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total.sent++
	r.classes[class].sent++
}

// Completed counts the end of a request.
func (r *Recorder) Completed(class int, arrived, at int64, how End, reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total.completed(r.model, arrived, at, how, reason)
	r.classes[class].completed(r.model, arrived, at, how, reason)
	r.series.completed(arrived, at, how)
}

func (c *class) completed(m *Model, arrived, at int64, how End, reason string) {
	switch how {
	case EndOK:
		c.ok++
	case EndDegraded:
		c.degraded++
	case EndFailed:
		c.failed++
	case EndRefused, EndTurned:
		c.refused[reason]++
		c.refusals++
	}
	if turned(how, reason) {
		c.turned++
		c.other(m, arrived)
		return // turned away at the door: neither answered nor waited
	}
	c.last = max(c.last, at)
	if how == EndOK {
		c.served.record(at - arrived)
	} else {
		c.others.record(at - arrived)
	}
	if m.Fault.contains(arrived) {
		c.fault.record(at - arrived)
	}
	for second := int(at / int64(time.Second)); len(c.perSecond) <= second; {
		c.perSecond = append(c.perSecond, 0)
		c.okPerSecond = append(c.okPerSecond, 0)
	}
	c.perSecond[at/int64(time.Second)]++
	if how == EndOK {
		c.okPerSecond[at/int64(time.Second)]++
	}
	if m.Fault.empty() {
		return
	}
	if how != EndOK {
		c.other(m, arrived)
		return
	}
	if to := int64(m.Fault.To); at >= to {
		if c.firstSuccess < 0 {
			c.firstSuccess = at - to
		}
		c.good(arrived)
	}
}

// turned reports whether a request was refused at the service's door.
func turned(how End, reason string) bool {
	return how == EndTurned || how == EndRefused && reason == QueueFull
}

// good and other find the arrival from which on every request was answered by
// the dependency.
func (c *class) good(arrived int64) {
	if c.fullDone || arrived <= c.lastOther {
		return
	}
	if c.fullFrom < 0 || arrived < c.fullFrom {
		c.fullFrom = arrived
	}
	c.fullTo = max(c.fullTo, arrived)
	c.fullDone = c.fullTo-c.fullFrom >= fullRateSpan
}

func (c *class) other(m *Model, arrived int64) {
	if arrived < int64(m.Fault.To) || c.fullDone || arrived <= c.lastOther {
		return
	}
	c.lastOther = arrived
	if c.fullFrom >= 0 && c.fullFrom < arrived {
		c.fullFrom, c.fullTo = -1, 0
	}
}

// Arrived counts a call that reached a dependency.
func (r *Recorder) Arrived(dependency string, at int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	d := r.depends[dependency]
	d.calls++
	if r.model.Fault.contains(at) {
		d.fault++
	}
	if i := r.model.Windows.index(at); i >= 0 {
		for len(d.windows) <= i {
			d.windows = append(d.windows, 0)
		}
		d.windows[i]++
	}
	if !r.series.beyond(at) {
		d.series.Calls[r.series.index(at)]++
	}
}

// InFlight notes how many calls a dependency has in hand.
func (r *Recorder) InFlight(dependency string, at int64, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := r.depends[dependency]
	d.peak = max(d.peak, n)
	if !r.series.beyond(at) {
		d.series.inFlight(r.series.index(at), n)
	}
}

// Queued notes the length of a service's queue.
func (r *Recorder) Queued(service string, at int64, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.series.queued(service, at, n)
}

// Orphan counts a request that was finished although its caller had left.
func (r *Recorder) Orphan(at int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.orphaned++
}

// Observe takes the events of the guards.
func (r *Recorder) Observe(e stanch.Event) {
	if e.Step != stanch.StepTransition {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if d := r.depends[e.Dependency]; d != nil && len(d.transitions) < maxTransitions {
		d.transitions = append(d.transitions, Transition{
			TS: math.Round(float64(e.At)/1e6) / 1e3, From: e.From.String(), To: e.To.String(),
		})
		d.series.States = append(d.series.States, StateChange{time.Duration(e.At), e.To})
	}
}

// maxTransitions bounds the list of a breaker that flaps through a long run.
const maxTransitions = 1000

// index returns the window that the instant belongs to, or -1.
func (w Windows) index(at int64) int {
	from := int64(w.From)
	if at < from || w.To > 0 && at >= int64(w.To) {
		return -1
	}
	return int((at - from) / int64(w.width()))
}

func (w Windows) width() time.Duration {
	if w.Width > 0 {
		return w.Width
	}
	return 100 * time.Millisecond
}
