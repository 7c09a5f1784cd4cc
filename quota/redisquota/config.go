package redisquota

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stanch-go/stanch/breaker"
)

// Config describes the store. The zero value is ready to use.
type Config struct {
	// Prefix begins the name of every key in Redis. Two sets of instances with the
	// same prefix share their quotas. Default "stanch:". No braces; at most 64
	// bytes.
	Prefix string `yaml:"prefix"`
	// Breaker says when Redis is no longer asked, and when it is again. Default
	// five failures in a row; a cooldown of 1s, which varies by a fifth, and
	// within it single probes from 100ms on. The breaker cannot be left out: what
	// is asked of a Redis that hangs is charged when it wakes up.
	Breaker breaker.Config `yaml:"breaker"`
}

const defaultPrefix = "stanch:"

// Validate returns every fault of the configuration, joined, each beginning with
// the path of the field.
func (c Config) Validate() error {
	var faults []error
	if strings.ContainsAny(c.Prefix, "{}") || len(c.Prefix) > 64 {
		faults = append(faults, fmt.Errorf("prefix: must have no braces and at most 64 bytes, is %q", c.Prefix))
	}
	if err := c.Breaker.Validate(); err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			faults = append(faults, errors.New("breaker."+line))
		}
	}
	return errors.Join(faults...)
}

// Effective returns c with every default filled in that has an effect.
func (c Config) Effective() Config {
	c.Prefix = cmp.Or(c.Prefix, defaultPrefix)
	if !c.Breaker.Enabled() {
		c.Breaker = breaker.Config{
			Consecutive:    5,
			Cooldown:       time.Second,
			CooldownJitter: 0.2,
			Trickle:        breaker.Trickle{First: 100 * time.Millisecond},
		}
	}
	c.Breaker = c.Breaker.Effective()
	return c
}
