package demo

import "time"

// A Report says what has happened until a moment of the demonstration.
type Report struct {
	Config  Config
	Elapsed time.Duration
	Early   bool // somebody ended it before its time
	// Late is the most by which users came later than they were due: how busy
	// the machine was with other things.
	Late    time.Duration
	Bare    Service
	Guarded Service
	Page    string // address of the sidecar's page
	Policy  string // that the sidecar runs, as a file
	Held    bool   // it is over, and the page stays
}

// A Service is one of the two, as its users and its dependency see it.
type Service struct {
	Ticks []Tick // the stretches of time that are over

	Live     int // answered by the dependency
	Degraded int // answered from elsewhere
	Failed   int // answered with an error
	GaveUp   int // left without an answer
	Waiting  int // still waiting

	P50, P99 time.Duration // how long users waited, those without an answer too
	Silence  time.Duration // time without any answer, in stretches of a tick or more
	Quiet    time.Duration // time since the last answer

	Working int    // requests that are worked on
	Queued  int    // requests that wait for a worker
	Breaker string // state of the circuit breaker; empty without one
	Calls   int    // calls that reached the dependency
	Peak    int    // the most of them at once
}

// A Tick is one stretch of time.
type Tick struct {
	Live, Degraded, Failed int
	P99                    time.Duration // how long users waited whose visit ended in it
}

// Answered is the number of answers.
func (t Tick) Answered() int { return t.Live + t.Degraded }

// Last is the last stretch of time that is over, zero before there is one.
func (s Service) Last() Tick {
	if n := len(s.Ticks); n > 0 {
		return s.Ticks[n-1]
	}
	return Tick{}
}

// Served reports whether every user got an answer, and there was no silence.
func (s Service) Served() bool {
	return s.Silence == 0 && s.Failed+s.GaveUp+s.Waiting == 0 && s.Live+s.Degraded > 0
}
