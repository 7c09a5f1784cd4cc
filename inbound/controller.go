package inbound

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/stanch-go/stanch/adaptive"
	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/internal/random"
	"github.com/stanch-go/stanch/quota"
	"github.com/stanch-go/stanch/ratelimit"
	"github.com/stanch-go/stanch/shed"
)

// A Controller admits the requests to one service and refuses them. It is safe
// for concurrent use. Make one with [New].
type Controller struct {
	name     string
	cfg      Config
	clock    clock.Clock
	rand     *rand.Rand
	observer Observer
	given    map[string]quota.Quota
	before   *Controller

	limits   []limit
	quotas   []shared
	ranks    ranks
	shedder  *shed.Shedder
	adaptive *adaptive.Limiter
}

// Terms are what a limit or a quota promises, for headers.
type Terms struct {
	Name   string        // of the limit or quota
	Rate   float64       // requests per Window
	Window time.Duration // above 0
}

// limit is a limit with its state, of which it has one of two.
type limit struct {
	cfg   Limit
	terms *Terms
	route route
	one   ratelimit.Limiter
	many  *ratelimit.Keyed
}

type shared struct {
	cfg   Quota
	terms *Terms
	route route
	quota quota.Quota
}

// An Option gives a Controller what is not data.
type Option func(*Controller)

// WithObserver tells o of every step of every request.
func WithObserver(o Observer) Option { return func(c *Controller) { c.observer = o } }

// WithQuota uses q for the quota of this name. One that asks a store must be
// given so, by whoever looks after its store.
func WithQuota(name string, q quota.Quota) Option {
	return func(c *Controller) { c.given[name] = q }
}

// WithBefore takes over from the controller of an earlier configuration what
// requests have used, of limits of the same name, basis and algorithm and of
// embedded quotas of the same name; and all that are in flight or wait, which
// from then on both controllers know. An adaptive limit that has changed begins
// where it was.
func WithBefore(before *Controller) Option { return func(c *Controller) { c.before = before } }

// WithSeed makes what is left to chance reproducible.
func WithSeed(seed uint64) Option { return func(c *Controller) { c.rand = random.New(seed) } }

// WithClock runs the Controller in another time than the machine's. It is for the
// simulator and for tests.
func WithClock(clk clock.Clock) Option { return func(c *Controller) { c.clock = clk } }

// New returns a controller for the service of this name, or all faults of the
// configuration.
func New(name string, cfg Config, options ...Option) (*Controller, error) {
	if name == "" {
		return nil, fmt.Errorf("inbound: a service needs a name")
	}
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("inbound: %s: %w", name, err)
	}
	c := &Controller{name: name, cfg: cfg.Effective(), clock: clock.Real, ranks: cfg.Priorities.ranks(), given: map[string]quota.Quota{}}
	for _, o := range options {
		o(c)
	}
	if c.before == nil {
		c.before = &Controller{}
	}
	if err := c.build(); err != nil {
		return nil, fmt.Errorf("inbound: %s: %w", name, err)
	}
	c.before, c.given = nil, nil
	return c, nil
}

func (c *Controller) build() error {
	for _, cfg := range c.cfg.Limits {
		if cfg.Rate == 0 {
			continue // off
		}
		l, err := c.limit(cfg)
		if err != nil {
			return fmt.Errorf("limits.%s: %w", cfg.Name, err)
		}
		c.limits = append(c.limits, l)
	}
	for _, cfg := range c.cfg.Quotas {
		if cfg.Rate == 0 {
			continue // off whatever its mode
		}
		q, err := c.quota(cfg)
		if err != nil {
			return fmt.Errorf("quotas.%s: %w", cfg.Name, err)
		}
		c.quotas = append(c.quotas, q)
	}
	return c.concurrency()
}

// limit makes a limit, or changes the one before.
func (c *Controller) limit(cfg Limit) (l limit, err error) {
	for _, old := range c.before.limits {
		if old.cfg.Name == cfg.Name && old.cfg.By == cfg.By && old.cfg.Algorithm == cfg.Algorithm && old.cfg.Keys == cfg.Keys {
			l.one, l.many = old.one, old.many
		}
	}
	l.cfg, l.route = cfg, parseRoute(cfg.Route)
	l.terms = &Terms{cfg.Name, cfg.Rate, cfg.Window}
	switch now := c.clock.Now(); {
	case l.many != nil:
		err = l.many.SetAt(now, cfg.many())
	case l.one != nil:
		err = l.one.SetAt(now, cfg.one())
	case cfg.By.keyed():
		l.many, err = ratelimit.NewKeyed(cfg.many())
	default:
		l.one, err = ratelimit.New(cfg.one())
	}
	return l, err
}

func (c *Controller) quota(cfg Quota) (q shared, err error) {
	q = shared{cfg: cfg, terms: &Terms{cfg.Name, cfg.Rate, cfg.Window}, route: parseRoute(cfg.Route), quota: c.given[cfg.Name]}
	if q.quota != nil {
		return q, nil
	}
	for _, old := range c.before.quotas {
		if e, ok := old.quota.(*quota.Embedded); ok && old.cfg.Name == cfg.Name && old.cfg.By == cfg.By && old.cfg.Keys == cfg.Keys && cfg.Mode == quota.ModeEmbedded {
			q.quota = e
			return q, e.Set(cfg.Config)
		}
	}
	if cfg.Mode != quota.ModeEmbedded {
		return q, fmt.Errorf("mode: %s needs a store: give the quota by WithQuota", cfg.Mode)
	}
	q.quota, err = quota.NewEmbedded(cfg.Config)
	return q, err
}

// concurrency makes the shedder and its limiter, or changes the ones before.
func (c *Controller) concurrency() (err error) {
	cfg, before := c.cfg.Concurrency, c.before.cfg.Concurrency
	var limiter shed.Limiter
	if cfg.Adaptive != nil {
		if c.adaptive = c.before.adaptive; c.adaptive == nil || *cfg.Adaptive != *before.Adaptive {
			c.adaptive, err = adaptive.New(begin(*cfg.Adaptive, c.adaptive))
		}
		if err != nil {
			return fmt.Errorf("concurrency.adaptive: %w", err)
		}
		limiter = c.adaptive
	}
	if c.shedder = c.before.shedder; c.shedder != nil {
		err = c.shedder.SetAt(c.clock.Now(), cfg.Config, limiter)
	} else {
		c.shedder, err = shed.New(cfg.Config, limiter, c.rand)
	}
	if err != nil {
		return fmt.Errorf("concurrency: %w", err)
	}
	return nil
}

// begin lets a new limiter start where the one before is, if there is one.
func begin(cfg adaptive.Config, before *adaptive.Limiter) adaptive.Config {
	if before != nil {
		cfg.Initial = min(max(before.Limit(), cfg.Min), cfg.Max)
	}
	return cfg
}

// Name returns the name of the service.
func (c *Controller) Name() string { return c.name }

// Config returns the configuration, with every default filled in.
func (c *Controller) Config() Config { return c.cfg }

// Terms returns those of all limits and quotas that are on, in the order in which
// requests pass them.
func (c *Controller) Terms() []*Terms {
	var t []*Terms
	for _, l := range c.limits {
		t = append(t, l.terms)
	}
	for _, q := range c.quotas {
		t = append(t, q.terms)
	}
	return t
}

// Stats is the state of a controller.
type Stats struct {
	Shed shed.Stats // what is in flight, waits, and was decided
	// Adaptive is nil without an adaptive limit.
	Adaptive *adaptive.Stats
}

// Stats returns the statistics. It is meant for reports, not for each request.
func (c *Controller) Stats() Stats {
	s := Stats{Shed: c.shedder.StatsAt(c.clock.Now())}
	if c.adaptive != nil {
		a := c.adaptive.Stats()
		s.Adaptive = &a
	}
	return s
}
