package stanch

import (
	"errors"
	"fmt"

	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/fallback"
	"github.com/stanch-go/stanch/ratelimit"
	"github.com/stanch-go/stanch/retry"
)

// Config says how calls to one dependency are guarded. It is plain data: the
// policy file fills the same struct. The zero value guards nothing; a mechanism
// whose section is zero is off and costs one comparison.
type Config struct {
	// Timeout bounds each attempt and the whole call.
	Timeout deadline.Config `yaml:"timeout"`
	// Retry says how often and with which waits a failed attempt is repeated.
	Retry retry.Config `yaml:"retry"`
	// Budget bounds the retries of all callers of the dependency together.
	Budget retry.BudgetConfig `yaml:"budget"`
	// Breaker stops calls while the dependency keeps failing.
	Breaker breaker.Config `yaml:"breaker"`
	// Rate bounds how many attempts begin in a time.
	Rate ratelimit.Config `yaml:"rate"`
	// Bulkhead bounds how many attempts run at once.
	Bulkhead bulkhead.Config `yaml:"bulkhead"`
	// Fallback bounds the alternatives that Ask tries.
	Fallback fallback.Limits `yaml:"fallback"`
}

// Validate returns every fault of the configuration at once, joined; each names
// the path of its field, such as "retry.attempts".
func (c Config) Validate() error {
	var faults []error
	add := func(section string, err error) {
		for _, e := range split(err) {
			faults = append(faults, fmt.Errorf("%s.%w", section, e))
		}
	}
	add("timeout", c.Timeout.Validate())
	add("retry", c.Retry.Validate())
	add("budget", c.Budget.Validate())
	add("breaker", c.Breaker.Validate())
	add("rate", c.Rate.Validate())
	add("bulkhead", c.Bulkhead.Validate())
	add("fallback", c.Fallback.Validate())
	return errors.Join(faults...)
}

// split undoes errors.Join, however deep, so that each fault gets its section's
// name.
func split(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		if err == nil {
			return nil
		}
		return []error{err}
	}
	var faults []error
	for _, e := range joined.Unwrap() {
		faults = append(faults, split(e)...)
	}
	return faults
}
