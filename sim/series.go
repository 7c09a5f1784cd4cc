package sim

import (
	"math"
	"slices"
	"time"

	"github.com/stanch-go/stanch/breaker"
)

// steps is into how many steps the charts divide a run.
const steps = 160

// Series are a run's figures over time, in equal steps.
type Series struct {
	Step     time.Duration
	Requests []Counts // by when they arrived
	Answers  []Counts // by when they ended, without those that ended later than the load
	// P50 and P99 are latencies in milliseconds by when the request ended; NaN
	// where none did.
	P50, P99     []float64
	Dependencies map[string]*DependencySeries
	Queues       map[string][]int // longest within the step
	Services     map[string]*ServiceSeries
	latencies    []sketch
}

// Counts are requests by how they ended.
type Counts struct{ OK, Degraded, Failed, Refused int }

// DependencySeries is one dependency over time.
type DependencySeries struct {
	Calls    []int // arrivals
	InFlight []int // most at once within the step
	// States are the breaker's changes, in order.
	States []StateChange
	level  int
	seen   int
}

// ServiceSeries is what one service has taken in over time, all its instances
// together.
type ServiceSeries struct {
	InFlight []int // most at once within the step; empty without an inbound section
	Limit    []int // the concurrency limit at the end of the step; empty without one

	inFlight, limit levels
}

// StateChange is the state of a breaker from an instant on.
type StateChange struct {
	At    time.Duration
	State breaker.State
}

func newSeries(m *Model) *Series {
	step := max((m.Duration+steps-1)/steps, time.Millisecond)
	s := &Series{Step: step, Dependencies: map[string]*DependencySeries{}, Queues: map[string][]int{}, Services: map[string]*ServiceSeries{}}
	n := int((m.Duration + step - 1) / step)
	s.Requests = make([]Counts, n)
	s.Answers = make([]Counts, n)
	s.latencies = make([]sketch, n)
	room := make([]int64, n*sketchSize)
	for i := range s.latencies {
		s.latencies[i].values = room[i*sketchSize : i*sketchSize : (i+1)*sketchSize]
	}
	for _, d := range m.Dependencies {
		s.Dependencies[d.Key] = &DependencySeries{Calls: make([]int, n), InFlight: make([]int, n)}
	}
	for _, d := range m.Services {
		s.Queues[d.Key] = make([]int, n)
		s.Services[d.Key] = &ServiceSeries{}
	}
	return s
}

// beyond reports whether an instant is after the last step. Counted into that
// one, what is left over when the load ends would look like a rush.
func (s *Series) beyond(at int64) bool { return at >= int64(s.Step)*int64(len(s.Answers)) }

// index returns the step of an instant; what comes after the end belongs to the
// last one.
func (s *Series) index(at int64) int {
	return max(0, min(int(at/int64(s.Step)), len(s.Requests)-1))
}

func (s *Series) completed(arrived, at int64, how End) {
	count := func(c *Counts) {
		switch how {
		case EndOK:
			c.OK++
		case EndDegraded:
			c.Degraded++
		case EndFailed:
			c.Failed++
		case EndRefused, EndTurned:
			c.Refused++
		}
	}
	count(&s.Requests[s.index(arrived)])
	if s.beyond(at) {
		return
	}
	i := s.index(at)
	count(&s.Answers[i])
	if how == EndTurned || how == EndRefused && at == arrived {
		return // turned away at the door: it did not wait
	}
	s.latencies[i].add(at - arrived)
}

// inFlight notes the level at a step.
func (d *DependencySeries) inFlight(i, n int) {
	for ; d.seen < i; d.seen++ { // the level held on through the steps without a change
		d.InFlight[d.seen+1] = d.level
	}
	d.level = n
	d.InFlight[i] = max(d.InFlight[i], n)
}

func (s *Series) queued(service string, at int64, n int) {
	if q := s.Queues[service]; q != nil && !s.beyond(at) {
		i := s.index(at)
		q[i] = max(q[i], n)
	}
}

// finish computes what can only be known at the end.
func (s *Series) finish() {
	s.P50 = make([]float64, len(s.latencies))
	s.P99 = make([]float64, len(s.latencies))
	for i := range s.latencies {
		s.P50[i], s.P99[i] = s.latencies[i].quantiles()
	}
	s.latencies = nil
	for _, d := range s.Services {
		d.InFlight = d.inFlight.end(len(s.Answers))
		d.Limit = d.limit.end(len(s.Answers))
	}
	for _, d := range s.Dependencies {
		for ; d.seen < len(d.InFlight)-1; d.seen++ {
			d.InFlight[d.seen+1] = d.level
		}
	}
}

// sketch keeps a bounded sample of one step's latencies: all of them until it
// is full, then every second one, and so on.
type sketch struct {
	values []int64
	every  int
	skip   int
}

const sketchSize = 512

func (k *sketch) add(v int64) {
	if k.skip > 0 {
		k.skip--
		return
	}
	if len(k.values) == sketchSize {
		for i := range sketchSize / 2 {
			k.values[i] = k.values[2*i]
		}
		k.values = k.values[:sketchSize/2]
		k.every = 2*k.every + 1
	}
	k.values = append(k.values, v)
	k.skip = k.every
}

func (k *sketch) quantiles() (p50, p99 float64) {
	if len(k.values) == 0 {
		return math.NaN(), math.NaN()
	}
	slices.Sort(k.values)
	at := func(q float64) float64 { return ms(k.values[int(math.Ceil(q*float64(len(k.values))))-1]) }
	return at(0.5), at(0.99)
}
