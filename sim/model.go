package sim

import (
	"cmp"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/internal/strict"
	"github.com/stanch-go/stanch/policy"
)

// A Map keeps the order in which a file names its keys, since that order is the
// order of events at the same instant. In Go it is written as a slice:
//
//	sim.Map[sim.Service]{{Key: "page", Value: sim.Service{Workers: 20}}}
type Map[T any] = strict.Map[T]

// A Model is the world of one variant: who sends what, which services stand in
// between with which guards, and how the dependencies behave. A scenario file
// describes one for each of its variants; tests may build one directly.
type Model struct {
	// Seed determines every random choice. The same model and seed give the
	// same result to the byte.
	Seed uint64 `yaml:"seed"`
	// Duration is how long load is offered. Requests begun before its end are
	// played to their end, at most for Drain.
	Duration time.Duration `yaml:"duration" strict:"required"`
	// Drain bounds how long after Duration begun requests are waited for;
	// default 1 minute. What is unanswered then counts as hung.
	Drain time.Duration `yaml:"drain"`
	// Fault is when the incident is, for the figures "during the fault" and
	// "after recovery". It changes nothing in the world itself.
	Fault Interval `yaml:"fault"`
	// Windows says where and how the calls that reach a dependency are counted
	// in windows; default 100 ms over the whole run.
	Windows Windows `yaml:"windows"`

	// Services take requests in, by name.
	Services Map[Service] `yaml:"services"`
	// Dependencies answer calls, by name.
	Dependencies Map[Dependency] `yaml:"dependencies"`
	// Loads send requests, by name. At least one.
	Loads Map[Load] `yaml:"loads" strict:"required"`
	// Pools are bulkheads that several guards of one service share, by name,
	// with their size.
	Pools Map[int] `yaml:"pools"`
	// Policy guards the calls to a dependency or service, by its name. Every
	// service that calls it has a guard of its own. Without an entry a call is
	// bare.
	Policy Map[Guard] `yaml:"policy"`
}

// End is when a run is over at the latest.
func (m *Model) End() time.Duration {
	if m.Drain > 0 {
		return m.Duration + m.Drain
	}
	return m.Duration + defaultDrain
}

// An Interval is a half-open span of virtual time.
type Interval struct {
	// From is when it begins. Default 0.
	From time.Duration `yaml:"from"`
	// To is when it is over; not before From. Default 0: there is no such span.
	To time.Duration `yaml:"to"`
}

func (i Interval) contains(at int64) bool { return at >= int64(i.From) && at < int64(i.To) }
func (i Interval) empty() bool            { return i.To <= i.From }

// Windows count arrivals at a dependency.
type Windows struct {
	// Width is how long a window is. Default 100ms, at least 1ms.
	Width time.Duration `yaml:"width"`
	// From is where the first window begins. Default 0.
	From time.Duration `yaml:"from"`
	// To is where the last window ends; after From. Default 0: the end of the run.
	To time.Duration `yaml:"to"`
}

// A Service has workers that take requests from a queue. A worker is held for
// the whole of a request: its own work, and all waiting for what it calls.
type Service struct {
	// Workers is how many requests are worked on at once; 0 = no limit.
	Workers int `yaml:"workers"`
	// Queue is how many requests may wait for a worker: a number or
	// "unbounded". A request that finds it full is refused (queue_full).
	Queue Queue `yaml:"queue"`
	// Answer is how long a worker takes for a request that was answered without
	// any call: refused by a guard, or degraded. Default 1 ms, so that a client
	// without think time does not spin.
	Answer time.Duration `yaml:"answer"`
	// Cancels: the service notices when its caller has left and stops.
	Cancels bool `yaml:"cancels"`
	// Work and Calls are what a request takes: first the work, then the calls
	// one after the other.
	Work  Latency  `yaml:"work"`
	Calls []string `yaml:"calls"`
	// Routes are alternatives to Work and Calls, by name, for loads and guards
	// that name one as "service/route".
	Routes Map[Route] `yaml:"routes"`
	// Inbound says what the service takes in, before a worker is needed: what it
	// refuses takes none. The section is that of a policy file; a request of route r
	// has the path "/r", and the others "/". Default: everything.
	Inbound *policy.Inbound `yaml:"inbound"`
	// Instances is how many there are of the service, each with its own workers,
	// queue, guards, limits and concurrency; they share only the quotas' store.
	// Default 1.
	Instances int `yaml:"instances"`
	// QuotaStore names the dependency that the store of central and leased quotas
	// is: each round trip is a call to it. Default: a store that answers at once.
	QuotaStore string `yaml:"quota_store"`
	// FixedWindow is a limit as incidents have it, before all of Inbound: so many
	// in each window of the clock, whenever in it. Default none.
	FixedWindow *FixedWindow `yaml:"fixed_window"`
}

// Count is Instances or its default.
func (s *Service) Count() int { return max(s.Instances, 1) }

// AnswerTime is Answer or its default.
func (s *Service) AnswerTime() time.Duration { return cmp.Or(s.Answer, defaultAnswer) }

// A Route is one kind of request to a service.
type Route struct {
	// Work and Calls are what a request takes, as those of a service.
	Work  Latency  `yaml:"work"`
	Calls []string `yaml:"calls"`
}

// Queue is the length of a queue. The zero Queue has no places.
type Queue int

// Unbounded is a queue without a limit, as incidents have it.
const Unbounded Queue = -1

// A Dependency answers calls. It keeps working on calls that were abandoned.
type Dependency struct {
	// Phases are its behaviour over time, in order; the last one holds on.
	Phases []Phase `yaml:"phases" strict:"required"`
}

// PhaseAt returns the phase at an instant, in nanoseconds from the start.
func (d *Dependency) PhaseAt(at int64) *Phase {
	last := len(d.Phases) - 1
	for i := range d.Phases[:last] {
		if at < int64(d.Phases[i].Until) {
			return &d.Phases[i]
		}
	}
	return &d.Phases[last]
}

// A Phase is how a dependency behaves until an instant.
type Phase struct {
	// Until is when the phase ends; 0 only for the last, which does not end.
	Until time.Duration `yaml:"until"`
	// Latency is how long it works on a call. The phase in which the call
	// arrives decides.
	Latency Latency `yaml:"latency"`
	// Errors is the share of calls that fail, after their latency.
	Errors float64 `yaml:"errors"`
	// Refuse fails every call at once.
	Refuse bool `yaml:"refuse"`
	// Hang never answers.
	Hang bool `yaml:"hang"`
	// Capacity is how many calls it works on at once; more wait in its own
	// queue without a limit. 0 = no limit.
	Capacity int `yaml:"capacity"`
}

// A Load sends requests to a service, or straight to a dependency when there
// is nothing in between.
type Load struct {
	// To is the service, or "service/route".
	To string `yaml:"to" strict:"required"`
	// From and Until bound the load in time; default the whole duration.
	From  time.Duration `yaml:"from"`
	Until time.Duration `yaml:"until"`

	// Clients is a closed loop: so many clients, each of which sends its next
	// request when the last one is answered and Think has passed.
	Clients int           `yaml:"clients"`
	Think   time.Duration `yaml:"think"`

	// Rate is an open loop: so many requests a second, whatever becomes of
	// them, evenly spaced or as a Poisson process.
	Rate     float64  `yaml:"rate"`
	Arrivals Arrivals `yaml:"arrivals"`

	// Trace is an open loop at given instants.
	Trace []time.Duration `yaml:"trace"`

	// Deadline is how long a client waits. It tells the service so, and leaves
	// when the time is over: the request has failed then. Default 0: it waits as
	// long as it takes.
	Deadline time.Duration `yaml:"deadline"`
	// Priority is what requests say of their importance: the name of a priority,
	// or the share of each, as in {critical: 1, sheddable: 4}. It counts where
	// inbound trusts it. Default: they say nothing.
	Priority Shares `yaml:"priority"`
	// Tenant is who pays for the requests: a name, or {number: 20, zipf: 1}.
	// Default none.
	Tenant Tenants `yaml:"tenant"`
	// Users is how many users there are, from whom requests come at random.
	// Default 0: nobody is told.
	Users int `yaml:"users"`
	// Spread says which instance of the service gets a request: even is each in
	// turn, {zipf: 1} at random, the second half as often as the first. Default even.
	Spread Spread `yaml:"spread"`
}

// Arrivals says how an open loop spaces its requests.
type Arrivals string

const (
	Even    Arrivals = "even" // the default
	Poisson Arrivals = "poisson"
)

// Values lists what a scenario file may say.
func (Arrivals) Values() []string { return []string{string(Even), string(Poisson)} }

// A Guard is the policy for the calls to one target: the same keys as a
// dependency of a policy file, and two more.
type Guard struct {
	Policy policy.Dependency `yaml:",inline"`
	// Alternative names the answer that is given when the target's is not to be
	// had. Without it, and without a fallback in the policy, the request fails.
	Alternative string `yaml:"alternative"`
	// Alone keeps the remaining time and the attempt count from the service
	// that is called, as callers do that hand nothing on.
	Alone bool `yaml:"alone"`
}

// Bare reports whether the guard is as good as none.
func (g *Guard) Bare() bool {
	return g.Policy.Bulkhead.Pool == "" && g.Answer() == "" && g.Policy.Config() == (stanch.Config{})
}

// Answer is the name of the alternative, "" for none.
func (g *Guard) Answer() string {
	if g.Alternative == "" && g.Policy.Fallback.Any() {
		return "fallback"
	}
	return g.Alternative
}
