package policy

import (
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/fallback"
	"github.com/stanch-go/stanch/internal/strict"
	"github.com/stanch-go/stanch/retry"
)

// A Dependency is the policy for the calls to one thing. Class gives the
// defaults; every section may change them key by key, and a section that says
// "off" is taken away.
type Dependency struct {
	// Class is the preset: what kind of dependency it is.
	Class stanch.Class `yaml:"class"`
	// URL is where it is: one or several, which are used in turn.
	URL OneOrMore `yaml:"url"`
	// P50 and P99 are its latencies in good times, where they are known. Two
	// classes derive their time limit from P99.
	P50 time.Duration `yaml:"p50"`
	P99 time.Duration `yaml:"p99"`

	Timeout  deadline.Config    `yaml:"timeout"`
	Retry    retry.Config       `yaml:"retry"`
	Budget   retry.BudgetConfig `yaml:"budget"`
	Breaker  breaker.Config     `yaml:"breaker"`
	Bulkhead Bulkhead           `yaml:"bulkhead"`
	Fallback Fallback           `yaml:"fallback"`

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
	Pool string `yaml:"pool"`
	// Guaranteed, Max and Lend describe the share; see bulkhead.Share.
	Guaranteed int  `yaml:"guaranteed"`
	Max        int  `yaml:"max"`
	Lend       bool `yaml:"lend"`
}

// Share is the bulkhead as a share of its pool.
func (b Bulkhead) Share() bulkhead.Share {
	return bulkhead.Share{
		Guaranteed: b.Guaranteed, Max: b.Max, Lend: b.Lend,
		Queue: b.Queue, MaxWait: b.MaxWait, Order: b.Order, Linger: b.Linger,
	}
}

// Fallback says what is answered when the dependency's answer is not to be had,
// and within which limits. Those that are given are tried in the order of the
// fields.
type Fallback struct {
	fallback.Limits `yaml:",inline"`
	// LastGood answers with the last good answer to the same request.
	LastGood *LastGood `yaml:"last_good"`
	// Static answers with a file or a text.
	Static *Static `yaml:"static"`
	// Empty answers 200 with an empty JSON value of the given kind: "object",
	// "array" or "text".
	Empty string `yaml:"empty"`
	// Hidden answers 204: the part is left out.
	Hidden bool `yaml:"hidden"`
}

// Any reports whether there is any alternative.
func (f Fallback) Any() bool {
	return f.LastGood != nil || f.Static != nil || f.Empty != "" || f.Hidden
}

// LastGood keeps answers in memory.
type LastGood struct {
	// MaxAge is how old an answer may be and still be given. Default 1h.
	MaxAge time.Duration `yaml:"max_age"`
	// MaxBytes bounds all kept answers together. Default 64MiB.
	MaxBytes strict.Size `yaml:"max_bytes"`
	// Private keeps answers to requests with credentials, or marked private, as
	// well. They are then told apart by the credentials. Default false.
	Private bool `yaml:"private"`
}

// Static is an answer that does not change.
type Static struct {
	// File is read when the policy is; relative to the policy file.
	File string `yaml:"file"`
	// Body is the answer itself, instead of a file.
	Body string `yaml:"body"`
	// ContentType of the answer. Default: by the file's name, else text/plain.
	ContentType string `yaml:"content_type"`
	// Status of the answer. Default 200.
	Status int `yaml:"status"`
}

// Config is what the library needs of the policy.
func (d Dependency) Config() stanch.Config {
	c := stanch.Config{
		Timeout: d.Timeout, Retry: d.Retry, Budget: d.Budget, Breaker: d.Breaker,
		Fallback: d.Fallback.Limits,
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
		Bulkhead: Bulkhead{Config: c.Bulkhead}, Fallback: Fallback{Limits: c.Fallback},
	}
}
