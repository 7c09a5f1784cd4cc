package quota

import (
	"fmt"
	"time"
)

// settings are a Config with what follows from it.
type settings struct {
	Config        // effective
	limit   Limit // of all
	local   Limit // of this instance when the store is away
	period  time.Duration
	horizon float64 // period in nanoseconds
}

// settle returns the settings for one mode, or the faults of the configuration.
func settle(c Config, mode Mode) (*settings, error) {
	if c.Mode == "" {
		c.Mode = mode
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Mode != mode {
		return nil, fmt.Errorf("mode: must be %s here, is %s", mode, c.Mode)
	}
	s := &settings{Config: c.Effective()}
	c = s.Config
	s.limit = Limit{Rate: c.Rate, Window: c.Window, Burst: c.Burst}
	if n := float64(max(c.Instances, 1)); n > 1 {
		s.local = Limit{Rate: c.Rate / n, Window: c.Window, Burst: max(c.Burst/n, min(c.Burst, 1))}
	} else {
		s.local = s.limit
	}
	if mode == ModeLeased && c.Rate != 0 {
		// A bucket that is asked for half of what it holds, once a period, settles
		// at two periods' worth. It must not be full there.
		fill := wait(c.Burst, s.limit.perNano())
		s.period = max(min(c.Period, fill/4), time.Millisecond)
		s.horizon = float64(s.period)
	}
	return s, nil
}

// same finds what cannot be changed while a quota is in use.
func (s *settings) same(n *settings) error {
	if s.Rate != 0 && n.Rate != 0 && s.Keys != n.Keys {
		return fmt.Errorf("keys: cannot be changed from %d, is %d", s.Keys, n.Keys)
	}
	return nil
}
