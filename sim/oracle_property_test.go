package sim

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// oracle computes the calls of one service with constant times by hand, request
// by request, without events: a request begins when it has arrived and the
// first worker is free, a call when it was made and the first place in the
// dependency is free.
type oracle struct {
	workers, places []int64 // when each is free again
	waiting         []int64 // when those that had to queue began
	room            int     // in the queue; -1 for any
	work            int64
	phases          []Phase
}

// request returns the span of the call of a request, and false when there was
// no room for it. Requests must come in the order of their arrival.
func (o *oracle) request(arrived int64) (call span, ok bool) {
	worker := first(o.workers)
	begin := arrived
	if worker != nil && *worker > arrived {
		begin = *worker
		o.waiting = slices.DeleteFunc(o.waiting, func(at int64) bool { return at <= arrived })
		if o.room >= 0 && len(o.waiting) >= o.room {
			return span{}, false
		}
		o.waiting = append(o.waiting, begin)
	}
	call.from = begin + o.work
	latency := int64(o.phases[len(o.phases)-1].Latency.Constant)
	for _, p := range o.phases[:len(o.phases)-1] {
		if call.from < int64(p.Until) {
			latency = int64(p.Latency.Constant)
			break
		}
	}
	place := first(o.places)
	call.to = call.from + latency
	if place != nil {
		call.to = max(call.from, *place) + latency
		*place = call.to
	}
	if worker != nil {
		*worker = call.to
	}
	return call, true
}

// first returns the one that is free first, nil when there is no limit.
func first(free []int64) *int64 {
	if len(free) == 0 {
		return nil
	}
	return &free[slices.Index(free, slices.Min(free))]
}

func drawOracle(t *rapid.T) (*Model, *oracle) {
	// No sum of a few of these is a whole millisecond, as all instants of
	// arrival are: nothing depends on the order of what is at the same instant.
	constant := func(label string) time.Duration { return drawMillis(t, 0, 40, label) + 500_001 }
	phases := []Phase{{Latency: Latency{Constant: constant("latency")}}}
	capacity := rapid.IntRange(0, 5).Draw(t, "capacity")
	if rapid.Bool().Draw(t, "two phases") {
		phases = []Phase{{Until: drawMillis(t, 1, 300, "until"), Latency: Latency{Constant: constant("slow")}}, phases[0]}
	}
	for i := range phases {
		phases[i].Capacity = capacity
	}
	s := Service{Workers: rapid.IntRange(0, 6).Draw(t, "workers"), Calls: []string{"d"}}
	o := &oracle{workers: make([]int64, s.Workers), places: make([]int64, capacity), room: -1, phases: phases}
	if s.Workers > 0 {
		s.Queue = Unbounded
	}
	if rapid.Bool().Draw(t, "work") {
		s.Work.Constant = constant("work time")
		o.work = int64(s.Work.Constant)
	}
	m := &Model{
		Duration: drawMillis(t, 50, 500, "duration"), Drain: time.Hour,
		Services:     Map[Service]{{Key: "s", Value: s}},
		Dependencies: Map[Dependency]{{Key: "d", Value: Dependency{Phases: phases}}},
	}
	return m, o
}

func compare(t *rapid.T, m *Model, want []span, refused int64) {
	t.Helper()
	r, seen := playTapped(t, m)
	if len(seen.broken) > 0 {
		t.Fatal(seen.broken)
	}
	got := seen.spans["d"]
	if !slices.Equal(got, want) {
		t.Fatalf("the calls were\n%v, the oracle's are\n%v", got, want)
	}
	if r.Metrics.OK != int64(len(want)) || r.Metrics.Refused[QueueFull] != refused || r.Metrics.Hung != 0 {
		t.Fatalf("want %d ok, %d refused, got %+v", len(want), refused, r.Metrics)
	}
}

// An open loop through queue, workers and capacity gives the oracle's calls to
// the nanosecond.
func TestOpenLoopAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, o := drawOracle(t)
		rate := rapid.SampledFrom([]float64{20, 50, 100, 200, 500}).Draw(t, "rate")
		if m.Services[0].Value.Workers > 0 && rapid.Bool().Draw(t, "bounded") {
			o.room = rapid.IntRange(0, 5).Draw(t, "room")
			m.Services[0].Value.Queue = Queue(o.room)
		}
		m.Loads = Map[Load]{{Key: "l", Value: Load{To: "s", Rate: rate}}}
		var want []span
		var refused int64
		for at := int64(0); at < int64(m.Duration); at += int64(float64(time.Second) / rate) {
			if call, ok := o.request(at); ok {
				want = append(want, call)
			} else {
				refused++
			}
		}
		compare(t, m, want, refused)
	})
}

// So does a closed loop, whose clients send again when they were answered.
func TestClosedLoopAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, o := drawOracle(t)
		l := Load{To: "s", Clients: rapid.IntRange(1, 12).Draw(t, "clients"), Think: drawMillis(t, 0, 50, "think")}
		m.Loads = Map[Load]{{Key: "l", Value: l}}
		next := make([]int64, l.Clients)
		var want []span
		for {
			client := first(next)
			if *client >= int64(m.Duration) {
				break
			}
			call, _ := o.request(*client)
			want = append(want, call)
			*client = call.to + int64(l.Think)
		}
		compare(t, m, want, 0)
	})
}
