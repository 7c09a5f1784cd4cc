package breaker

import "math"

// Values lists what a policy file may say.
func (Counts) Values() []string { return []string{string(CountsAttempts), string(CountsCall)} }

// Effective returns c with every default filled in that has an effect. A breaker
// made of it does the same as one made of c. The zero Config, which is no
// breaker, stays as it is.
func (c Config) Effective() Config {
	if !c.Enabled() {
		return c
	}
	bounded := c.CooldownMax != 0
	c = c.withDefaults()
	if c.SlowCall == 0 {
		c.SlowRatio = 0
	}
	if c.CooldownFactor <= 1 && !bounded {
		c.CooldownMax = 0
	}
	if c.Ramp == 0 {
		c.RampFrom = 0
	}
	if c.Trickle.Max == math.MaxInt64 {
		c.Trickle.Max = 0
	}
	return c
}
