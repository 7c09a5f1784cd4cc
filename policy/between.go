package policy

import (
	"errors"

	"github.com/stanch-go/stanch/bulkhead"
)

// rateOfRequests is the name of the rate at which requests arrive.
const rateOfRequests = "requests"

// between returns the faults that show only between the parts of a file.
func (f *File) between() problems {
	var p problems
	p.check(f.Version == Version, "version", "must be %d, is %d", Version, f.Version)
	checkNames(&p, "layers.callers", f.Layers.Callers)
	checkNames(&p, "layers.below", f.Layers.Below)
	checkNames(&p, "pools", f.Pools)
	checkNames(&p, "dependencies", f.Dependencies)
	p.check(!f.has(rateOfRequests), "dependencies."+rateOfRequests, "the name stands for what arrives at the service, see service.rates")
	for name := range f.Service.Rates.All() {
		p.check(name == rateOfRequests || f.has(name), entry("service.rates", name),
			"is neither %q, for what arrives, nor the name of a dependency", rateOfRequests)
	}
	for name, b := range f.Layers.Below.All() {
		p.check(b.Under == "" || f.has(b.Under), entry("layers.below", name)+".under", "there is no dependency %q", b.Under)
	}
	if in := f.Inbound; in != nil && in.Deadline == 0 && f.Service.Deadline > 0 {
		p.check(in.MinRemaining < f.Service.Deadline, "inbound.min_remaining",
			"must be below service.deadline, which is %v: every request would be refused, is %v", f.Service.Deadline, in.MinRemaining)
	}
	f.checkTargets(&p)
	f.checkPools(&p)
	return p
}

func checkNames[T any](p *problems, section string, m Map[T]) {
	for name := range m.All() {
		p.check(isName(name), entry(section, name), "a name has letters, digits, _ and -, and at most 63 of them")
	}
}

func (f *File) has(dependency string) bool {
	_, ok := f.Dependencies.Get(dependency)
	return ok
}

// checkTargets finds places that two dependencies claim: the sidecar could not
// tell whose guards a call must pass.
func (f *File) checkTargets(p *problems) {
	owner := map[string]string{}
	for name, d := range f.Dependencies.All() {
		for _, raw := range d.URL {
			u, err := target(raw)
			if err != nil {
				continue // told by the dependency itself
			}
			at := place(u)
			other, taken := owner[at]
			p.check(!taken || other == name, entry("dependencies", name)+".url", "is the dependency %s as well", other)
			if !taken {
				owner[at] = name
			}
		}
	}
}

// checkPools builds the pools as they will be, to have their own faults.
func (f *File) checkPools(p *problems) {
	pools := map[string]*bulkhead.Pool{}
	for name, pool := range f.Pools.All() {
		pools[name], _ = bulkhead.NewPool(pool.Size) // its size is told by the pool itself
	}
	for name, d := range f.Dependencies.All() {
		if d.Bulkhead.Pool == "" {
			continue
		}
		at := entry("dependencies", name) + ".bulkhead"
		pool, known := pools[d.Bulkhead.Pool]
		if !known {
			p.add(at+".pool", "there is no pool %q", d.Bulkhead.Pool)
			continue
		}
		if pool == nil || d.Bulkhead.Share().Validate() != nil {
			continue
		}
		if _, err := pool.Share(name, d.Bulkhead.Share()); err != nil {
			p.below(at, errors.Unwrap(err)) // without the name of the share
		}
	}
}
