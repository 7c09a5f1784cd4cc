package ratelimit

import (
	"errors"
	"fmt"
	"time"
)

// KeyedConfig describes a limiter with a limit for each key. The zero value
// limits nothing.
type KeyedConfig struct {
	// Rate is the cost admitted per Window for each key. 0, the default, is off.
	// Range 1e-9 to 1e12.
	Rate float64 `yaml:"rate"`
	// Window is the time that Rate is for. Default 1s. Range 1ms to 8784h.
	Window time.Duration `yaml:"window"`
	// Burst is the cost that a key at rest may have at once. Default: what Rate
	// says, at least 1. Range to 1e12.
	Burst float64 `yaml:"burst"`
	// Keys is how many keys that are in use, those not at rest, have a state of
	// their own. 28 bytes for each are taken in advance. Default 10000. Range 0
	// to 100000000.
	Keys int `yaml:"keys"`
}

const (
	defaultKeys = 10_000
	maxKeys     = 100_000_000
)

// Validate returns every fault of the configuration, joined, each beginning with
// the name of the field.
func (c KeyedConfig) Validate() error {
	var keys error
	if c.Keys < 0 || c.Keys > maxKeys {
		keys = fmt.Errorf("keys: must be between 0 and %d, is %d", maxKeys, c.Keys)
	}
	return errors.Join(validRate(c.Rate), validWindow(c.Window), validBurst(c.Burst), keys)
}

// Effective returns c with every default filled in that has an effect. The zero
// KeyedConfig, which does not limit, stays as it is.
func (c KeyedConfig) Effective() KeyedConfig {
	if c == (KeyedConfig{}) {
		return c
	}
	one := c.one().Effective()
	c.Window, c.Burst = one.Window, one.Burst
	if c.Keys == 0 {
		c.Keys = defaultKeys
	}
	return c
}

// one is the limit of one key.
func (c KeyedConfig) one() Config {
	return Config{Algorithm: TokenBucket, Rate: c.Rate, Window: c.Window, Burst: c.Burst}
}
