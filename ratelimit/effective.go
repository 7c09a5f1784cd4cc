package ratelimit

import (
	"cmp"
	"time"
)

// Values lists what a policy file may say.
func (Algorithm) Values() []string {
	return []string{string(TokenBucket), string(LeakyMeter), string(LeakyShaper), string(SlidingLog), string(SlidingCounter)}
}

// Effective returns c with every default filled in that has an effect. It limits
// as c does. The zero Config, which does not limit, stays as it is.
func (c Config) Effective() Config {
	if c == (Config{}) {
		return c
	}
	c.Algorithm = cmp.Or(c.Algorithm, TokenBucket)
	c.Window = cmp.Or(c.Window, time.Second)
	if c.Burst == 0 && c.Rate != 0 {
		switch c.Algorithm {
		case TokenBucket:
			c.Burst = max(c.Rate, 1)
		case LeakyMeter:
			c.Burst = 1
		}
	}
	return c
}
