package policy

import (
	"cmp"
	"slices"
)

// DefaultIdempotencyHeader is what a dependency that names no other has.
const DefaultIdempotencyHeader = "Idempotency-Key"

// Effective returns d with every default filled in that has an effect. A section
// that is off stays off.
func (d Dependency) Effective() Dependency {
	d.Timeout = d.Timeout.Effective()
	d.Retry = d.Retry.Effective()
	d.Budget = d.Budget.Effective()
	d.Breaker = d.Breaker.Effective()
	d.Rate = d.Rate.Effective()
	d.Bulkhead.Config = d.Bulkhead.Config.Effective()
	d.Fallback = d.Fallback.Effective()
	if len(d.URL) > 0 {
		d.HTTP = d.HTTP.Effective(d.Timeout.Attempt)
	}
	d.IdempotencyHeader = cmp.Or(d.IdempotencyHeader, DefaultIdempotencyHeader)
	return d
}

// Effective returns f with every default filled in that has an effect. It guards
// calls as f does.
func (f *File) Effective() *File {
	e := *f
	e.Layers.Callers = slices.Clone(f.Layers.Callers)
	for i := range e.Layers.Callers {
		once(&e.Layers.Callers[i].Value.Attempts)
	}
	e.Layers.Below = slices.Clone(f.Layers.Below)
	for i := range e.Layers.Below {
		once(&e.Layers.Below[i].Value.Attempts)
	}
	e.Dependencies = slices.Clone(f.Dependencies)
	for i := range e.Dependencies {
		d := &e.Dependencies[i].Value
		*d = d.Effective()
		if pool, ok := f.Pools.Get(d.Bulkhead.Pool); ok {
			d.Bulkhead.Max = cmp.Or(d.Bulkhead.Max, pool.Size)
		}
	}
	e.Inbound = f.Inbound.Effective(f.Service.Deadline)
	e.Listen.Egress = cmp.Or(f.Listen.Egress, DefaultEgress)
	e.Listen.Admin = cmp.Or(f.Listen.Admin, DefaultAdmin)
	return &e
}

func once(attempts *int) { *attempts = cmp.Or(*attempts, 1) }
