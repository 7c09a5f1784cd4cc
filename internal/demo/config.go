package demo

import (
	"errors"
	"fmt"
	"time"
)

// Config is what is played. [Default] is the incident of the README.
type Config struct {
	Duration time.Duration // how long users come
	Rate     int           // users a second, at each service
	StallAt  time.Duration // when the dependency begins to stall
	Stall    time.Duration // for how long

	Quick    time.Duration // a call to the dependency when it is well
	Slow     time.Duration // a call that comes while it stalls
	Patience time.Duration // a user without an answer gives up
	Workers  int           // requests that a service works on at once
	// Tick is the stretch of time by which answers are counted, and the least
	// time without any answer that counts as silence.
	Tick time.Duration
	// Hold keeps the sidecar and its page up afterwards, until somebody ends it,
	// and lets users go on coming to it.
	Hold bool
}

// Default is twenty seconds, of which the dependency stalls for three.
func Default() Config {
	return Config{
		Duration: 20 * time.Second, Rate: 200,
		StallAt: 5 * time.Second, Stall: 3 * time.Second,
		Quick: 30 * time.Millisecond, Slow: 5 * time.Second, Patience: 10 * time.Second,
		Workers: 20, Tick: time.Second,
	}
}

// The ranges of what a person may choose. At MaxRate the places of the guarded
// call still suffice when the dependency is well; after the stall there is Calm
// for the services to recover in sight.
const (
	MinDuration = 12 * time.Second
	MaxDuration = time.Minute
	MinRate     = 20
	MaxRate     = 250
	MinStall    = time.Second
	Calm        = 4 * time.Second
)

// Validate returns every fault in what a person chose, joined; each begins with
// the name of the flag.
func (c Config) Validate() error {
	duration := between("duration", c.Duration, MinDuration, MaxDuration)
	rate := between("rate", c.Rate, MinRate, MaxRate)
	if duration != nil { // which bounds the stall
		return errors.Join(duration, rate)
	}
	return errors.Join(rate, between("stall", c.Stall, MinStall, c.Duration-c.StallAt-Calm))
}

func between[T int | time.Duration](flag string, value, least, most T) error {
	if value < least || value > most {
		return fmt.Errorf("--%s: must be from %v to %v, is %v", flag, least, most, value)
	}
	return nil
}

func (c Config) ticks() int  { return int((c.Duration + c.Tick - 1) / c.Tick) }
func (c Config) visits() int { return int(c.Duration * time.Duration(c.Rate) / time.Second) }
