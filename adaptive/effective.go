package adaptive

import (
	"cmp"
	"time"
)

// Values lists what a policy file may say.
func (Algorithm) Values() []string { return []string{string(Gradient), string(Vegas), string(AIMD)} }

// Effective returns c with every default filled in that has an effect. It
// limits as c does.
func (c Config) Effective() Config {
	c.Algorithm = cmp.Or(c.Algorithm, Gradient)
	if c.Max == 0 {
		c.Max = max(1000, c.Min)
	}
	if c.Min == 0 {
		c.Min = min(2, c.Max)
	}
	if c.Initial == 0 {
		c.Initial = min(max(20, c.Min), c.Max)
	}
	c.Window = cmp.Or(c.Window, 500*time.Millisecond)
	c.LossTolerance = cmp.Or(c.LossTolerance, 0.05)
	c.Tolerance = cmp.Or(c.Tolerance, 1.2)
	c.ProbeEvery = cmp.Or(c.ProbeEvery, time.Minute)
	return c
}
