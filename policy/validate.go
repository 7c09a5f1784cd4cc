package policy

import (
	"fmt"
	"math"
	"time"

	"github.com/stanch-go/stanch/retry"
)

// Validate returns every fault of the file at once, each beginning with the
// path of its key.
func (f *File) Validate() error {
	return append(f.parts(), f.between()...).err()
}

// parts returns the faults that each part has by itself.
func (f *File) parts() problems {
	var p problems
	p.below("service", f.Service.Validate())
	for name, c := range f.Layers.Callers.All() {
		p.below(entry("layers.callers", name), c.Validate())
	}
	for name, b := range f.Layers.Below.All() {
		p.below(entry("layers.below", name), b.Validate())
	}
	for name, pool := range f.Pools.All() {
		p.below(entry("pools", name), pool.Validate())
	}
	for name, d := range f.Dependencies.All() {
		p.below(entry("dependencies", name), d.Validate())
	}
	if f.Inbound != nil {
		p.below("inbound", f.Inbound.Validate())
	}
	p.below("listen", f.Listen.Validate())
	allowed(&p, f.Allow)
	return p
}

// Validate returns every fault of the service's own settings.
func (s Service) Validate() error {
	var p problems
	notNegative(&p, "deadline", s.Deadline)
	p.check(s.Workers >= 0, "workers", "must not be negative, is %d", s.Workers)
	p.check(s.Instances >= 0, "instances", "must not be negative, is %d", s.Instances)
	p.check(s.Tenants >= 0, "tenants", "must not be negative, is %d", s.Tenants)
	for name, rate := range s.Rates.All() {
		p.check(rate >= 0 && !math.IsInf(rate, 1), entry("rates", name), "must not be negative, is %v", rate)
	}
	return p.err()
}

// Validate returns every fault of the caller.
func (c Caller) Validate() error {
	var p problems
	p.check(c.Wait > 0, "wait", "must be above 0s, is %v", c.Wait)
	attempts(&p, c.Attempts)
	return p.err()
}

// Validate returns every fault of the layer.
func (b Below) Validate() error {
	var p problems
	p.check(b.Timeout > 0, "timeout", "must be above 0s, is %v", b.Timeout)
	attempts(&p, b.Attempts)
	return p.err()
}

// Validate returns the fault of the pool's size.
func (l Pool) Validate() error {
	var p problems
	p.check(l.Size >= 1 && l.Size <= math.MaxInt32, "size", "must be between 1 and %d, is %d", math.MaxInt32, l.Size)
	return p.err()
}

// Validate returns the faults of the suppression.
func (a Allow) Validate() error {
	var p problems
	p.check(a.Check != "", "check", "must not be empty")
	p.check(a.Reason != "", "reason", "must not be empty")
	return p.err()
}

func allowed(p *problems, list []Allow) {
	for i, a := range list {
		p.below(fmt.Sprintf("allow[%d]", i), a.Validate())
	}
}

func notNegative(p *problems, path string, d time.Duration) {
	p.check(d >= 0, path, "must not be negative, is %v", d)
}

func attempts(p *problems, n int) {
	p.check(n >= 0 && n <= retry.MaxAttempts, "attempts", "must be between 0 and %d, is %d", retry.MaxAttempts, n)
}
