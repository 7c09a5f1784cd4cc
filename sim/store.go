package sim

import (
	"context"
	"time"

	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/quota"
	"github.com/stanch-go/stanch/sim/internal/vtime"
)

// quotaStore is where the instances of a service keep their quotas.
type quotaStore struct {
	w       *world
	spec    *Service
	seen    *doorRecord
	configs map[string]inbound.Quota
	buckets map[string]*quota.Memory
	place   *dependency // nil: it answers at once
}

func newQuotaStore(w *world, spec *Service, name string) *quotaStore {
	st := &quotaStore{w: w, spec: spec, seen: w.rec.door(name), configs: map[string]inbound.Quota{}, buckets: map[string]*quota.Memory{}, place: w.depends[spec.QuotaStore]}
	for _, q := range spec.Inbound.Config(0).Quotas {
		st.configs[q.Name], st.buckets[q.Name] = q, quota.NewMemory(q.Keys)
	}
	return st
}

// quota returns one instance's view of a quota, in virtual time.
func (st *quotaStore) quota(instance, name string) (quota.Quota, error) {
	cfg := st.configs[name].Effective().Config
	seen := st.seen.quota(name)
	switch cfg.Mode {
	case quota.ModeCentral:
		q, err := quota.NewCentral(cfg, st.buckets[name])
		return &centralQuota{counted{Quota: q, seen: seen}, q, st, name, cfg.Timeout}, err
	case quota.ModeLeased:
		random := st.w.stream("quota/" + name + "/" + instance)
		q, err := quota.NewLeased(cfg, st.buckets[name], quota.Options{Rand: random.Float64})
		if err != nil {
			return nil, err
		}
		l := &leasedQuota{counted: counted{Quota: q, seen: seen}, q: q, st: st, name: name, timeout: cfg.Timeout, asked: map[string][]*vtime.Waiter{}}
		l.every = max(time.Duration(min(float64(cfg.Period), cfg.Burst/cfg.Rate*float64(cfg.Window)/4))/4, time.Millisecond)
		l.first = time.Duration(random.Float64() * float64(l.every))
		seen.leases = append(seen.leases, q)
		st.w.sched.Go(l)
		return l, nil
	}
	q, err := quota.NewEmbedded(cfg)
	return &embeddedQuota{counted{Quota: q, seen: seen}, q, st.w}, err
}

// take is one round trip to the store. It waits for the answer at most until the
// instant; what is asked may be carried out all the same.
func (st *quotaStore) take(ctx context.Context, name string, until int64, takes []quota.Take) ([]quota.Grant, error) {
	grants := make([]quota.Grant, len(takes))
	act := func() {
		for i, t := range takes {
			grants[i] = st.buckets[name].TakeAt(st.w.sched.Now(), t)
		}
	}
	if st.place == nil {
		act()
		return grants, nil
	}
	err := st.place.call(&callContext{ctx: ctx, until: until, act: act})
	if err != nil && ctx.Err() == nil && st.w.sched.Now() >= until {
		err = quota.ErrTimeout
	}
	return grants, err
}

// counted counts the decisions of a quota.
type counted struct {
	quota.Quota
	seen *quotaRecord
}

func (c *counted) count(now int64, d quota.Decision) quota.Decision {
	c.seen.decided(now, d)
	return d
}

type embeddedQuota struct {
	counted
	q *quota.Embedded
	w *world
}

func (e *embeddedQuota) Allow(_ context.Context, key string, cost float64) quota.Decision {
	now := e.w.sched.Now()
	return e.count(now, e.q.AllowAt(now, key, cost))
}

type centralQuota struct {
	counted
	q       *quota.Central
	st      *quotaStore
	name    string
	timeout time.Duration
}

func (c *centralQuota) Allow(ctx context.Context, key string, cost float64) quota.Decision {
	t, d, ok := c.q.Ask(key, cost)
	if ok {
		c.seen.asked++
		grants, err := c.st.take(ctx, c.name, until(ctx, c.st.w, c.timeout), []quota.Take{t})
		switch {
		case err == nil:
			d = c.q.Granted(t, grants[0])
		case ctx.Err() != nil:
			return quota.Decision{Err: ctx.Err()}
		default:
			c.seen.failed++
			d = c.q.FailedAt(c.st.w.sched.Now(), t, err)
		}
	}
	return c.count(c.st.w.sched.Now(), d)
}

// until is when to give up, or when the caller does.
func until(ctx context.Context, w *world, timeout time.Duration) int64 {
	at := clock.Add(w.sched.Now(), timeout)
	if end, ok := ctx.Deadline(); ok {
		at = min(at, w.clock.Instant(end))
	}
	return at
}

// leasedQuota drives a quota.Leased in virtual time, as its Allow and its Run do
// in the machine's.
type leasedQuota struct {
	counted
	q       *quota.Leased
	st      *quotaStore
	name    string
	timeout time.Duration
	first   time.Duration // until it looks after its slices
	every   time.Duration
	asked   map[string][]*vtime.Waiter // keys on their way, and who waits for each
}

func (l *leasedQuota) Allow(ctx context.Context, key string, cost float64) quota.Decision {
	w := l.st.w
	now := w.sched.Now()
	end := until(ctx, w, l.timeout)
	half := now + int64(l.timeout)/2
	for d := l.q.AllowAt(now, key, cost); ; d = l.q.AgainAt(now, key, cost) {
		if d.OK || d.Err != nil || d.RetryAfter == quota.Never {
			return l.count(now, d)
		}
		if ctx.Err() != nil {
			return quota.Decision{Err: ctx.Err()}
		}
		_, flying := l.asked[key]
		switch {
		case now >= end:
			return l.count(now, d)
		case flying:
			waiter := w.sched.Waiter()
			l.asked[key] = append(l.asked[key], &waiter)
			waiter.Wait(ctx, end)
		case now > half:
			return l.count(now, d) // too many wanted the same slice
		default:
			t, ok := l.q.AskAt(now, key, cost)
			if !ok {
				return l.count(now, d)
			}
			if grants, err := l.send([]quota.Take{t}); t.Period == 0 && err == nil { // no place for a slice: it was about this request
				g := grants[0]
				return l.count(now, quota.Decision{OK: g.Granted >= cost, RetryAfter: g.RetryAfter, Remaining: g.Remaining, ResetAfter: g.ResetAfter})
			}
		}
		now = w.sched.Now()
	}
}

// send carries takes to the store, and its answers back. Others wait for them, so
// that it goes on when its caller leaves.
func (l *leasedQuota) send(takes []quota.Take) ([]quota.Grant, error) {
	for _, t := range takes {
		l.asked[t.Key] = nil
	}
	l.seen.asked++
	w := l.st.w
	grants, err := l.st.take(context.Background(), l.name, clock.Add(w.sched.Now(), l.timeout), takes)
	if err != nil {
		l.seen.failed++
	}
	for i, t := range takes {
		if err != nil {
			l.q.FailedAt(w.sched.Now(), t, err)
		} else {
			l.q.GrantedAt(w.sched.Now(), t, grants[i])
		}
		for _, waiter := range l.asked[t.Key] {
			waiter.Wake()
		}
		delete(l.asked, t.Key)
	}
	return grants, err
}

// Run refills slices before they are spent, while there is a load.
func (l *leasedQuota) Run() {
	w := l.st.w
	for at := int64(l.first); at < int64(w.model.Duration); at = clock.Add(w.sched.Now(), l.every) {
		if w.clock.Sleep(context.Background(), at) != nil {
			return
		}
		if takes := l.q.DueAt(w.sched.Now()); len(takes) > 0 {
			_, _ = l.send(takes) // told to the leases
		}
	}
}
