package policy

import (
	"time"

	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/quota"
)

// Inbound says what the service takes in. It is applied by the sidecar's ingress,
// and by the library's handler.
type Inbound struct {
	// Deadline is the most time that a request has, also one that claims more.
	// Default that of the service; 0s is as much as it says, and without a limit if
	// it says nothing.
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
	// Tenant is the header that names who pays for a request. Believe it only from
	// services of one's own. Default none: all requests are of one tenant.
	Tenant string `yaml:"tenant"`
	// User is the header that names for whom a request is. Default none.
	User string `yaml:"user"`
}

// Quota is a limit that all instances share, with the store that it is kept in.
type Quota struct {
	inbound.Quota `yaml:",inline"`
	// Store is the URL of the Redis or Valkey that a central or leased quota is kept
	// in: redis://HOST:PORT/DB, or rediss:// with TLS. Default none; needed unless
	// the mode is embedded.
	Store string `yaml:"store"`
}

// Priorities say how important a request is.
type Priorities struct {
	inbound.Priorities `yaml:",inline"`
	// Routes have a priority of their own, by path as in "/export" or "POST /orders";
	// the longest path that fits counts.
	Routes Map[inbound.Priority] `yaml:"routes"`
}

// Config is what package inbound is given. deadline is that of the service, which
// counts where the section has none.
func (in *Inbound) Config(deadline time.Duration) inbound.Config {
	if in == nil {
		return inbound.Config{Deadline: deadline}
	}
	c := inbound.Config{Deadline: in.Deadline, MinRemaining: in.MinRemaining, Priorities: in.Priorities.Priorities, Concurrency: in.Concurrency}
	if c.Deadline == 0 {
		c.Deadline = deadline
	}
	for name, l := range in.Limits.All() {
		l.Name = name
		c.Limits = append(c.Limits, l)
	}
	for name, q := range in.Quotas.All() {
		q.Name = name
		c.Quotas = append(c.Quotas, q.Quota)
	}
	for path, p := range in.Priorities.Routes.All() {
		c.Priorities.Routes = append(c.Priorities.Routes, inbound.RoutePriority{Route: path, Priority: p})
	}
	return c
}

// Validate returns every fault of the section.
func (in *Inbound) Validate() error {
	var p problems
	p.join(in.Config(0).Validate())
	for name, q := range in.Quotas.All() {
		asks := q.Mode == quota.ModeCentral || q.Mode == quota.ModeLeased
		p.check(!asks || q.Store != "", entry("quotas", name)+".store", "is needed when the mode is %s", q.Mode)
		p.check(asks || q.Store == "", entry("quotas", name)+".store", "has no effect when the mode is embedded")
	}
	return p.err()
}
