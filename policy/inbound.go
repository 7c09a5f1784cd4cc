package policy

import (
	"cmp"
	"slices"
	"time"

	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/quota"
)

// Inbound says what the service takes in. It is applied by the sidecar's ingress,
// and by the library's handler.
type Inbound struct {
	// Deadline is the most time that a request has, also one that claims more.
	// Default that of the service, and without either as much as it says. Range:
	// 0s or more.
	Deadline time.Duration `yaml:"deadline"`
	// MinRemaining is the least time that is worth beginning with: what comes with
	// less is refused on arrival. Default 0s: what the fastest requests of late took,
	// where the concurrency is bounded. Range: below the deadline, if there is one.
	MinRemaining time.Duration `yaml:"min_remaining"`
	// Identity says how the tenant and the user of a request are known.
	Identity Identity `yaml:"identity"`
	// Limits bound how many requests begin in a time, by name. All that concern a
	// request are asked in their order, and the first to refuse ends it. At most 8,
	// with the quotas.
	Limits Map[inbound.Limit] `yaml:"limits"`
	// Quotas are limits that all instances of the service share, by name.
	Quotas Map[Quota] `yaml:"quotas"`
	// Priorities say how important a request is.
	Priorities Priorities `yaml:"priorities"`
	// Concurrency bounds how many requests are in flight at once, and sheds what is
	// too much, the least important first.
	Concurrency inbound.Concurrency `yaml:"concurrency"`
}

// Identity names the headers by which tenants and users are known.
type Identity struct {
	// Tenant is the header that names who pays for a request. Believe it only where
	// callers cannot choose it. Default none: all requests are of one tenant.
	Tenant string `yaml:"tenant"`
	// User is the header that names for whom a request is. Default none: all are for
	// one user to limits and quotas, and are shed one by one.
	User string `yaml:"user"`
}

// Quota is a limit that all instances share, with the store that it is kept in.
type Quota struct {
	inbound.Quota `yaml:",inline"`
	// Store is the URL of the Redis or Valkey that a central or leased quota is kept
	// in: redis://USER:PASSWORD@HOST:PORT/DB, rediss:// with TLS, or unix:///PATH.
	// Take it from the environment where it has a password, as in "${REDIS_URL}"; it
	// is never printed with one. Default none; needed unless the mode is embedded.
	Store StoreURL `yaml:"store"`
}

// Priorities say how important a request is.
type Priorities struct {
	inbound.Priorities `yaml:",inline"`
	// Routes have a priority of their own, by path as in "/export" or "POST /orders";
	// the longest path that fits counts.
	Routes Map[inbound.Priority] `yaml:"routes"`
}

// Config is what package inbound is given. deadline is that of the service, which
// counts where the section has none. Without a section that is all.
func (in *Inbound) Config(deadline time.Duration) inbound.Config {
	if in == nil {
		return inbound.Config{Deadline: deadline}
	}
	c := inbound.Config{
		Deadline: cmp.Or(in.Deadline, deadline), MinRemaining: in.MinRemaining,
		Priorities: in.Priorities.Priorities, Concurrency: in.Concurrency,
	}
	for name, l := range in.Limits.All() {
		l.Name = name
		c.Limits = append(c.Limits, l)
	}
	for name, q := range in.Quotas.All() {
		q.Name = name
		c.Quotas = append(c.Quotas, q.Quota)
	}
	for route, p := range in.Priorities.Routes.All() {
		c.Priorities.Routes = append(c.Priorities.Routes, inbound.RoutePriority{Route: route, Priority: p})
	}
	return c
}

// Controller makes what decides on the requests that arrive, by the inbound
// section. A quota that is central or leased must be given, by inbound.WithQuota,
// from whoever looks after its store.
func (f *File) Controller(options ...inbound.Option) (*inbound.Controller, error) {
	return inbound.New(cmp.Or(f.Service.Name, "service"), f.Inbound.Config(f.Service.Deadline), options...)
}

// Effective returns the section with every default filled in that has an effect,
// for a service with that deadline.
func (in *Inbound) Effective(deadline time.Duration) *Inbound {
	if in == nil {
		return nil
	}
	e := *in
	e.Deadline = cmp.Or(in.Deadline, deadline)
	e.Limits = slices.Clone(in.Limits)
	for i := range e.Limits {
		e.Limits[i].Value = e.Limits[i].Value.Effective()
	}
	e.Quotas = slices.Clone(in.Quotas)
	for i := range e.Quotas {
		e.Quotas[i].Value.Quota = e.Quotas[i].Value.Quota.Effective()
	}
	e.Priorities.Priorities = e.Priorities.Priorities.Effective()
	e.Concurrency = e.Concurrency.Effective()
	return &e
}

// Validate returns every fault of the section.
func (in *Inbound) Validate() error {
	var p problems
	p.join(in.Config(0).Validate())
	p.check(isToken(in.Identity.Tenant), "identity.tenant", "must be the name of a header, is %q", in.Identity.Tenant)
	p.check(isToken(in.Identity.User), "identity.user", "must be the name of a header, is %q", in.Identity.User)
	for name, q := range in.Quotas.All() {
		p.below(entry("quotas", name), q.stored())
	}
	return p.err()
}

// Validate returns every fault of the quota.
func (q Quota) Validate() error {
	var p problems
	p.join(q.Quota.Validate())
	p.join(q.stored())
	return p.err()
}

// stored returns the fault of the store.
func (q Quota) stored() error {
	var p problems
	asks := q.Mode == quota.ModeCentral || q.Mode == quota.ModeLeased
	switch {
	case asks && q.Store == "":
		p.add("store", "must be given when the mode is %s", q.Mode)
	case !asks && q.Store != "":
		p.add("store", "has no effect when the mode is embedded")
	case asks:
		if err := q.Store.fault(); err != nil {
			p.add("store", "%v", err)
		}
	}
	return p.err()
}
