package inbound

import (
	"errors"
	"fmt"
	"time"

	"github.com/stanch-go/stanch/adaptive"
	"github.com/stanch-go/stanch/shed"
)

// most is how many limits and quotas there may be: a request passes each of them,
// and its answer tells of each.
const most = 8

// Config says what a service takes in. It is plain data: the policy file fills
// the same structs. The zero value refuses only what has no time left.
type Config struct {
	// Deadline is the most time that a request has, also one that claims more.
	// Default 0: as much as it says, and without a limit if it says nothing.
	Deadline time.Duration `yaml:"deadline"`
	// MinRemaining is the least time that is worth beginning with: what comes with
	// less is refused on arrival. Default 0: what the fastest requests of late took,
	// where Concurrency is bounded. Range: below Deadline, if that is set.
	MinRemaining time.Duration `yaml:"min_remaining"`
	// Limits bound how many requests begin in a time. All that concern a request
	// are asked in their order, and the first to refuse ends it.
	Limits []Limit `yaml:"-"`
	// Quotas are limits that all instances of the service share. They are asked
	// after the limits.
	Quotas []Quota `yaml:"-"`
	// Priorities say how important a request is.
	Priorities Priorities `yaml:"priorities"`
	// Concurrency bounds how many requests are in flight at once, and sheds what is
	// too much, the least important first.
	Concurrency Concurrency `yaml:"concurrency"`
}

// Concurrency bounds the requests in flight: by Limit, by a limit that finds
// itself, or by the lower of both.
type Concurrency struct {
	shed.Config `yaml:",inline"`
	// Adaptive finds the limit from what requests take and what becomes of them.
	// Default none; {} is one with defaults.
	Adaptive *adaptive.Config `yaml:"adaptive"`
}

// Bounded reports whether there is any bound.
func (c Concurrency) Bounded() bool { return c.Limit > 0 || c.Adaptive != nil }

// Effective returns c with every default filled in that has an effect.
func (c Concurrency) Effective() Concurrency {
	if !c.Bounded() {
		return c
	}
	c.Config = c.Config.Effective()
	if c.Adaptive != nil {
		a := c.Adaptive.Effective()
		c.Adaptive = &a
	}
	return c
}

// Validate returns every fault, joined, each beginning with the name of the field.
func (c Concurrency) Validate() error {
	var f faults
	f.below("", c.Config.Validate())
	if c.Adaptive != nil {
		f.below("adaptive.", c.Adaptive.Validate())
	}
	if !c.Bounded() && (c.Queue != 0 || c.Target != 0 || c.Interval != 0) {
		f.add("limit: queue, target and interval have no effect without limit or adaptive")
	}
	return errors.Join(f...)
}

// Effective returns c with every default filled in that has an effect.
func (c Config) Effective() Config {
	c.Concurrency = c.Concurrency.Effective()
	c.Priorities = c.Priorities.Effective()
	limits, quotas := c.Limits, c.Quotas
	c.Limits, c.Quotas = nil, nil
	for _, l := range limits {
		c.Limits = append(c.Limits, l.Effective())
	}
	for _, q := range quotas {
		c.Quotas = append(c.Quotas, q.Effective())
	}
	return c
}

// Validate returns every fault of the configuration at once, joined; each names
// the path of its field, such as "limits.tenant.rate".
func (c Config) Validate() error {
	var f faults
	f.check(c.Deadline >= 0, "deadline: must not be negative, is %v", c.Deadline)
	f.check(c.MinRemaining >= 0, "min_remaining: must not be negative, is %v", c.MinRemaining)
	f.check(c.Deadline <= 0 || c.MinRemaining < c.Deadline, "min_remaining: must be below deadline, which is %v: every request would be refused, is %v", c.Deadline, c.MinRemaining)
	names := map[string]bool{}
	for i, l := range c.Limits {
		f.below(f.name(names, "limits", l.Name, i), l.Validate())
	}
	for i, q := range c.Quotas {
		f.below(f.name(names, "quotas", q.Name, i), q.Validate())
	}
	f.check(len(c.Limits)+len(c.Quotas) <= most, "limits: with the quotas at most %d, are %d", most, len(c.Limits)+len(c.Quotas))
	f.below("priorities.", c.Priorities.Validate())
	f.below("concurrency.", c.Concurrency.Validate())
	return errors.Join(f...)
}

// faults are collected, so that all are told at once.
type faults []error

func (f *faults) add(format string, values ...any) { *f = append(*f, fmt.Errorf(format, values...)) }

func (f *faults) check(ok bool, format string, values ...any) {
	if !ok {
		f.add(format, values...)
	}
}

// below adds the faults of a part.
func (f *faults) below(path string, err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			f.below(path, e)
		}
		return
	}
	if err != nil {
		f.add("%s%w", path, err)
	}
}

// name checks the name of a limit, under which answers and metrics know it, and
// returns its path.
func (f *faults) name(seen map[string]bool, section, name string, i int) string {
	if name == "" {
		path := fmt.Sprintf("%s[%d]", section, i)
		f.add("%s: a limit or quota needs a name", path)
		return path + "."
	}
	if !valid(name) {
		path := fmt.Sprintf("%s[%q]", section, name)
		f.add("%s: a name has letters, digits, _ and -, and at most 63 of them", path)
		return path + "."
	}
	f.check(!seen[name], "%s.%s: another limit or quota has this name", section, name)
	seen[name] = true
	return section + "." + name + "."
}

func valid(name string) bool {
	for _, c := range []byte(name) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
			return false
		}
	}
	return len(name) <= 63
}
