package redisquota

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/quota"
)

// A Store keeps buckets in Redis. It is safe for concurrent use, and keeps nothing
// itself but the state of its breaker. Make one with [New].
type Store struct {
	client  redis.UniversalClient
	prefix  string
	breaker *breaker.Breaker
}

var (
	// ErrOpen says that Redis was not asked, because it did not answer before.
	ErrOpen = errors.New("redisquota: Redis did not answer before and is not asked now")
	// ErrContext says that a client would go on waiting for Redis when the context
	// of a call has ended.
	ErrContext = errors.New("redisquota: the client must have ContextTimeoutEnabled, or no timeout but its own bounds a call")
)

//go:embed take.lua
var source string

var script = redis.NewScript(source)

// New returns a store on the client, or the faults of the configuration. The
// client must have ContextTimeoutEnabled, else [ErrContext]; its own retries do no
// harm. It stays the caller's to close.
func New(client redis.UniversalClient, cfg Config) (*Store, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if !heedsContext(client) {
		return nil, ErrContext
	}
	cfg = cfg.Effective()
	b, err := breaker.New(cfg.Breaker, breaker.Options{})
	if err != nil {
		return nil, err
	}
	return &Store{client: client, prefix: cfg.Prefix, breaker: b}, nil
}

// heedsContext is true for a client that it does not know.
func heedsContext(client redis.UniversalClient) bool {
	switch c := client.(type) {
	case *redis.Client:
		return c.Options().ContextTimeoutEnabled
	case *redis.ClusterClient:
		return c.Options().ContextTimeoutEnabled
	case *redis.Ring:
		return c.Options().ContextTimeoutEnabled
	}
	return true
}

// Breaker is what decides whether Redis is asked, for metrics.
func (s *Store) Breaker() *breaker.Breaker { return s.breaker }

// Take carries out the takes in one round trip, see [quota.Store].
func (s *Store) Take(ctx context.Context, takes []quota.Take, grants []quota.Grant) error {
	p, ok := s.breaker.Allow()
	if !ok {
		return ErrOpen
	}
	start, o := time.Now(), outcome.Failure
	defer func() { s.breaker.Done(p, o, time.Since(start)) }()
	err := s.run(ctx, takes, grants)
	o = judge(ctx, err)
	return err
}

// judge tells a Redis that is slow from a caller who went away, or whose own time
// was shorter.
func judge(ctx context.Context, err error) outcome.Outcome {
	if err == nil {
		return outcome.Success
	}
	if t, ok := errors.AsType[net.Error](err); ok && t.Timeout() && ctx.Err() == nil {
		// The connection has the deadline of ctx, and may notice it first.
		if d, ok := ctx.Deadline(); ok && time.Until(d) < 10*time.Millisecond {
			<-ctx.Done()
		}
	}
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), quota.ErrTimeout) {
		return outcome.Ignored
	}
	return outcome.Failure
}

func (s *Store) run(ctx context.Context, takes []quota.Take, grants []quota.Grant) error {
	all := make([]*redis.Cmd, len(takes))
	if len(takes) == 1 {
		k, a := s.arguments(&takes[0])
		all[0] = script.EvalSha(ctx, s.client, k, a...)
	} else {
		s.pipeline(ctx, takes, all, func(*redis.Cmd) bool { return true }, script.EvalSha)
	}
	unknown := func(c *redis.Cmd) bool { return redis.HasErrorPrefix(c.Err(), "NOSCRIPT") }
	if slices.ContainsFunc(all, unknown) {
		s.pipeline(ctx, takes, all, unknown, script.Eval)
	}
	for i, c := range all {
		text, err := c.Text()
		if err == nil {
			grants[i], err = parse(text, &takes[i])
		}
		if err != nil {
			return fmt.Errorf("redisquota: %w", err)
		}
	}
	return nil
}

// pipeline sends those takes whose command is chosen, each by the function, and
// puts the new commands in the place of the old.
func (s *Store) pipeline(ctx context.Context, takes []quota.Take, all []*redis.Cmd, chosen func(*redis.Cmd) bool,
	send func(context.Context, redis.Scripter, []string, ...any) *redis.Cmd) {
	_, _ = s.client.Pipelined(ctx, func(p redis.Pipeliner) error { // each command has its error
		for i := range takes {
			if all[i] == nil || chosen(all[i]) {
				k, a := s.arguments(&takes[i])
				all[i] = send(ctx, p, k, a...)
			}
		}
		return nil
	})
}
