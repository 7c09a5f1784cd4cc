package quota

import (
	"cmp"
	"time"
)

const defaultPeriod = 250 * time.Millisecond

// Values lists what a policy file may say.
func (Mode) Values() []string {
	return []string{string(ModeEmbedded), string(ModeCentral), string(ModeLeased)}
}

// Values lists what a policy file may say.
func (OnFailure) Values() []string {
	return []string{string(FailLocal), string(FailOpen), string(FailClosed)}
}

// Effective returns c with every default filled in that has an effect. A Config
// without Rate, which does not limit, stays as it is.
func (c Config) Effective() Config {
	if c.Rate == 0 {
		return c
	}
	c.Mode = cmp.Or(c.Mode, ModeEmbedded)
	c.Window = cmp.Or(c.Window, time.Second)
	c.Burst = cmp.Or(c.Burst, max(c.Rate, 1))
	c.Keys = cmp.Or(c.Keys, defaultKeys)
	if c.Mode == ModeEmbedded {
		return c
	}
	c.Timeout = cmp.Or(c.Timeout, 50*time.Millisecond)
	if c.OnFailure == "" {
		c.OnFailure = FailOpen
		if c.Instances > 0 {
			c.OnFailure = FailLocal
		}
	}
	c.Remember = cmp.Or(c.Remember, 5*time.Second)
	if c.Mode == ModeCentral {
		return c
	}
	c.Period = cmp.Or(c.Period, defaultPeriod)
	c.MaxSlice = cmp.Or(c.MaxSlice, min(max(c.Burst/4, 1), c.Burst))
	c.Term = cmp.Or(c.Term, max(2*time.Second, c.Period))
	return c
}
