package shed

import (
	"errors"
	"fmt"
	"time"
)

// Config describes a [Shedder]. The zero value refuses only what has no time left.
type Config struct {
	// Limit is the most requests in flight at once. 0, the default, is no limit
	// but that of a [Limiter], if there is one; with both the lower counts.
	// Range 0 to 1000000.
	Limit int `yaml:"limit"`
	// Queue is the most requests that wait for a place. Default: as many as may
	// be in flight, and at least 16. Range 0 to 1000000.
	Queue int `yaml:"queue"`
	// Target is the longest wait while overloaded, or if that is longer the time in
	// which 15 places come free, but not more than a request takes. Default 5ms. Range 100µs to 10s.
	Target time.Duration `yaml:"target"`
	// Interval is how long the queue must not have been empty for an overload,
	// the longest wait without one, and how often the threshold is set. Default
	// 100ms. Range Target to 1m.
	Interval time.Duration `yaml:"interval"`
}

const (
	mostPlaces      = 1_000_000
	defaultTarget   = 5 * time.Millisecond
	defaultInterval = 100 * time.Millisecond
)

// Effective returns c with every default filled in that has an effect. It sheds
// as c does. The zero Queue stays: its default follows the limit.
func (c Config) Effective() Config {
	if c.Target == 0 {
		c.Target = defaultTarget
	}
	if c.Interval == 0 {
		c.Interval = max(defaultInterval, c.Target)
	}
	return c
}

// Validate returns every fault of the configuration, joined, each beginning with
// the name of the field.
func (c Config) Validate() error {
	var target, interval error
	e := c.Effective()
	if e.Target < 100*time.Microsecond || e.Target > 10*time.Second {
		target = fmt.Errorf("target: must be between 100µs and 10s, is %v", c.Target)
	}
	if least := max(e.Target, 0); e.Interval < least || e.Interval > time.Minute {
		interval = fmt.Errorf("interval: must be between the target, %v, and 1m, is %v", least, c.Interval)
	}
	return errors.Join(places("limit", c.Limit), places("queue", c.Queue), target, interval)
}

func places(field string, n int) error {
	if n < 0 || n > mostPlaces {
		return fmt.Errorf("%s: must be between 0 and %d, is %d", field, mostPlaces, n)
	}
	return nil
}
