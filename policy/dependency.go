package policy

import (
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/ratelimit"
	"github.com/stanch-go/stanch/retry"
)

// A Dependency is the policy for the calls to one thing. Class gives the
// defaults; every section may change them key by key, and a section that says
// "off" is taken away.
type Dependency struct {
	// Class is the preset: what kind of dependency it is. Default none: all
	// sections are off.
	Class stanch.Class `yaml:"class"`
	// URL is where it is: one, or a list that is used in turn. http or https,
	// with a host and perhaps a port and a path, without a user. Default none:
	// only the library can call it.
	URL OneOrMore `yaml:"url"`
	// P50 is its median latency in good times. Default 0s: not known. Range: 0s
	// to 1h, not above P99.
	P50 time.Duration `yaml:"p50"`
	// P99 is its 99 % latency in good times. The classes core_read and core_write
	// need it, since their time limits are multiples of it; that of standard is
	// 3 times it where it is known. Default 0s: not known. Range: 0s to 1h.
	P99 time.Duration `yaml:"p99"`

	// Timeout bounds each attempt and the whole call.
	Timeout deadline.Config `yaml:"timeout"`
	// Retry says how often and with which waits a failed attempt is repeated.
	Retry retry.Config `yaml:"retry"`
	// Budget bounds the retries of all callers together.
	Budget retry.BudgetConfig `yaml:"budget"`
	// Breaker stops calls while the dependency keeps failing.
	Breaker breaker.Config `yaml:"breaker"`
	// Rate bounds how many attempts begin in a time.
	Rate ratelimit.Config `yaml:"rate"`
	// Bulkhead bounds how many attempts run at once.
	Bulkhead Bulkhead `yaml:"bulkhead"`
	// Fallback says what is answered instead, and within which limits.
	Fallback Fallback `yaml:"fallback"`

	// HTTP says how the sidecar speaks to it.
	HTTP HTTP `yaml:"http"`
	// TLS says whom the sidecar trusts for https URLs, and as whom it appears.
	TLS TLS `yaml:"tls"`

	// IdempotencyHeader is the header whose presence makes a POST or PATCH
	// safe to repeat. Default Idempotency-Key.
	IdempotencyHeader string `yaml:"idempotency_header"`
	// Allow suppresses findings of checks that concern this dependency.
	Allow []Allow `yaml:"allow"`
}

// Bulkhead is a bulkhead of the dependency's own, or a share of a pool.
type Bulkhead struct {
	bulkhead.Config `yaml:",inline"`
	// Pool names the pool to have a share of, instead of a limit of one's own.
	// Default none.
	Pool string `yaml:"pool"`
	// Guaranteed is how many places of the pool are this dependency's own.
	// Default 0. Range: 0 or more; all guarantees together at most the pool.
	Guaranteed int `yaml:"guaranteed"`
	// Max is how many places it has at most, own and borrowed ones together.
	// Default: the whole pool. Range: Guaranteed to the pool.
	Max int `yaml:"max"`
	// Lend lets others borrow its own places while it does not need them; then
	// it may have to wait for them. Default false.
	Lend bool `yaml:"lend"`
}

// Share is the bulkhead as a share of its pool.
func (b Bulkhead) Share() bulkhead.Share {
	return bulkhead.Share{
		Guaranteed: b.Guaranteed, Max: b.Max, Lend: b.Lend,
		Queue: b.Queue, MaxWait: b.MaxWait, Order: b.Order, Linger: b.Linger,
	}
}

// Config is what the library needs of the policy. A share of a pool is not part
// of it: File.Build makes it.
func (d Dependency) Config() stanch.Config {
	c := stanch.Config{
		Timeout: d.Timeout, Retry: d.Retry, Budget: d.Budget, Breaker: d.Breaker,
		Rate: d.Rate, Fallback: d.Fallback.Limits,
	}
	if d.Bulkhead.Pool == "" {
		c.Bulkhead = d.Bulkhead.Config
	}
	return c
}

// FromConfig is the dependency with the settings of c.
func FromConfig(c stanch.Config) Dependency {
	return Dependency{
		Timeout: c.Timeout, Retry: c.Retry, Budget: c.Budget, Breaker: c.Breaker,
		Rate: c.Rate, Bulkhead: Bulkhead{Config: c.Bulkhead}, Fallback: Fallback{Limits: c.Fallback},
	}
}

// maxLatency bounds the latencies in good times, so that their multiples are
// times.
const maxLatency = time.Hour

// Validate returns every fault of the dependency, but those that show only with
// the rest of the file.
func (d Dependency) Validate() error {
	var p problems
	for i, raw := range d.URL {
		if _, err := target(raw); err != nil {
			p.add(d.URL.path(i), "%v", err)
		}
	}
	p.check(d.P50 >= 0 && d.P50 <= maxLatency, "p50", "must be between 0s and %v, is %v", maxLatency, d.P50)
	p.check(d.P99 >= 0 && d.P99 <= maxLatency, "p99", "must be between 0s and %v, is %v", maxLatency, d.P99)
	p.check(d.P50 <= 0 || d.P99 <= 0 || d.P50 <= d.P99, "p50", "must not exceed p99 (%v), is %v", d.P99, d.P50)
	p.below("timeout", d.Timeout.Validate())
	p.below("retry", d.Retry.Validate())
	p.below("budget", d.Budget.Validate())
	p.below("breaker", d.Breaker.Validate())
	p.below("rate", d.Rate.Validate())
	p.below("bulkhead", d.Bulkhead.Validate())
	p.below("fallback", d.Fallback.Validate())
	p.below("http", d.HTTP.Validate())
	p.below("tls", d.TLS.Validate())
	p.check(isToken(d.IdempotencyHeader), "idempotency_header", "must be the name of a header, is %q", d.IdempotencyHeader)
	allowed(&p, d.Allow)
	return p.err()
}

// Validate returns every fault of the bulkhead, but those that show only with
// the pool.
func (b Bulkhead) Validate() error {
	if b.Pool != "" {
		var p problems
		p.check(b.Limit == 0, "limit", "has no effect in a pool: max bounds the share")
		p.join(b.Share().Validate())
		return p.err()
	}
	var p problems
	p.check(b.Guaranteed == 0, "guaranteed", "has no effect without a pool")
	p.check(b.Max == 0, "max", "has no effect without a pool; a bulkhead of one's own has a limit")
	p.check(!b.Lend, "lend", "has no effect without a pool")
	p.join(b.Config.Validate())
	return p.err()
}

// isToken reports whether s may be the name of a header (RFC 9110, 5.6.2), or is
// empty.
func isToken(s string) bool {
	for _, r := range s {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		case r == '!', '#' <= r && r <= '\'', r == '*', r == '+', r == '-', r == '.', r == '^', r == '_', r == '`', r == '|', r == '~':
		default:
			return false
		}
	}
	return true
}
