package inbound

import (
	"cmp"
	"errors"
	"time"

	"github.com/stanch-go/stanch/quota"
	"github.com/stanch-go/stanch/ratelimit"
)

// By says which requests share a limit. Empty means Everyone.
type By string

const (
	Everyone By = "everyone" // one limit for all of them
	Tenant   By = "tenant"   // one for each tenant; those that name none share one
	User     By = "user"     // one for each user; those that name none share one
	Address  By = "address"  // one for each address
)

// Values lists what a policy file may say.
func (By) Values() []string {
	return []string{string(Everyone), string(Tenant), string(User), string(Address)}
}

func (b By) keyed() bool { return b != "" && b != Everyone }

// key is what the limit of a request is filed under.
func (b By) key(r *Request) string {
	switch b {
	case Tenant:
		return r.Tenant
	case User:
		return r.User
	case Address:
		return r.Address
	}
	return ""
}

func (b By) validate(f *faults) {
	switch b {
	case "", Everyone, Tenant, User, Address:
	default:
		f.add("by: must be one of everyone, tenant, user, address, is %q", string(b))
	}
}

// A Limit bounds how many requests begin in a time, in this instance.
type Limit struct {
	// Name is that under which answers and metrics know it.
	Name string `yaml:"-"`
	// Route says which requests it is for, as in "/search" or "GET /search", which
	// is for HEAD too: this path and those below it. Default all.
	Route string `yaml:"route"`
	// By says which requests share the limit: everyone, tenant, user or address.
	// Default everyone.
	By By `yaml:"by"`
	// Algorithm is that of the limit for everyone: token_bucket, leaky_meter,
	// sliding_log or sliding_counter. Default token_bucket. The others are leaky
	// meters that take a Burst as a token bucket does.
	Algorithm ratelimit.Algorithm `yaml:"algorithm"`
	// Rate is how many requests begin per Window. 0, the default, is off. Range
	// 1e-9 to 1e12; at most 1e9 for a sliding counter, and 1048576 for a sliding
	// log, which keeps an entry of 16 bytes for each.
	Rate float64 `yaml:"rate"`
	// Window is the time that Rate is for. Default 1s. Range 1ms to 8784h.
	Window time.Duration `yaml:"window"`
	// Burst is how many may begin at once after a rest. Default, at least 1: what
	// Rate says, for a leaky meter 1. The sliding ones take none. Range to 1e12.
	Burst float64 `yaml:"burst"`
	// Keys is how many tenants, users or addresses that are in use have a state of
	// their own; 28 bytes for each are taken in advance. Default 10000. Range 0 to
	// 100000000.
	Keys int `yaml:"keys"`
}

func (l Limit) one() ratelimit.Config {
	return ratelimit.Config{Algorithm: l.Algorithm, Rate: l.Rate, Window: l.Window, Burst: l.Burst}
}

func (l Limit) many() ratelimit.KeyedConfig {
	return ratelimit.KeyedConfig{Rate: l.Rate, Window: l.Window, Burst: l.Burst, Keys: l.Keys}
}

// Effective returns l with every default filled in that has an effect.
func (l Limit) Effective() Limit {
	if l.By.keyed() {
		c := l.many().Effective()
		l.Rate, l.Window, l.Burst, l.Keys = c.Rate, c.Window, c.Burst, c.Keys
		return l
	}
	c := l.one().Effective()
	l.By, l.Algorithm, l.Rate, l.Window, l.Burst = Everyone, c.Algorithm, c.Rate, c.Window, c.Burst
	return l
}

// Validate returns every fault, joined, each beginning with the name of the field.
func (l Limit) Validate() error {
	var f faults
	l.By.validate(&f)
	checkRoute(&f, l.Route)
	if l.By.keyed() {
		f.check(l.Algorithm == "", "algorithm: is for a limit by everyone only, is %q", string(l.Algorithm))
		f.below("", l.many().Validate())
	} else {
		f.check(l.Algorithm != ratelimit.LeakyShaper, "algorithm: a leaky_shaper makes requests wait; bound them by concurrency, which has a queue")
		f.check(l.Keys == 0, "keys: has no effect without by")
		f.below("", l.one().Validate())
	}
	return errors.Join(f...)
}

// A Quota is a limit that all instances of the service share.
type Quota struct {
	// Name is that under which answers and metrics know it.
	Name string `yaml:"-"`
	// Route says which requests it is for, as in "/search" or "GET /search", which
	// is for HEAD too: this path and those below it. Default all.
	Route string `yaml:"route"`
	// By says which requests share the quota: everyone, tenant, user or address.
	// Default everyone.
	By           By `yaml:"by"`
	quota.Config `yaml:",inline"`
}

// Effective returns q with every default filled in that has an effect.
func (q Quota) Effective() Quota {
	q.By = cmp.Or(q.By, Everyone)
	q.Config = q.Config.Effective()
	return q
}

// Validate returns every fault, joined, each beginning with the name of the field.
func (q Quota) Validate() error {
	var f faults
	q.By.validate(&f)
	checkRoute(&f, q.Route)
	f.below("", q.Config.Validate())
	return errors.Join(f...)
}
