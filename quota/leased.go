package quota

import (
	"hash/maphash"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/internal/random"
)

// Leased takes a slice of the quota from the store and spends it without asking.
// Make one with [NewLeased]. Most call [Leased.Allow] and let [Leased.Run] run
// beside.
//
// For those who bring their own time it is a state machine: AllowAt spends the
// slice; where that is not enough AskAt tells what to send to the store, and
// GrantedAt or FailedAt is told what came of it.
type Leased struct {
	store  Store
	set    atomic.Pointer[settings]
	ids    ids
	rand   *rand.Rand
	seed   maphash.Seed
	shards [leaseShards]leaseShard
	shares *Memory // what OnFailure local decides on

	trips, fails atomic.Uint64
}

type leaseShard struct {
	mu     sync.Mutex // guards all
	places int
	leases map[string]*lease
	_      [40]byte // apart from the next shard's lock
}

const leaseShards = 16

// Options is what a Leased is given beside its Config. The zero value is ready to
// use.
type Options struct {
	// Rand returns numbers in [0, 1). It seeds the IDs and the jitter, in
	// NewLeased only. Instances must not share a sequence: the store would take
	// them for one. The default is the generator of math/rand/v2.
	Rand func() float64
}

// NewLeased returns a quota that is spent in slices, or the faults of the
// configuration.
func NewLeased(cfg Config, store Store, o Options) (*Leased, error) {
	s, err := settle(cfg, ModeLeased)
	if err != nil {
		return nil, err
	}
	if store == nil {
		return nil, errNoStore
	}
	draw := rand.Uint64
	if o.Rand != nil {
		draw = func() uint64 { return uint64(o.Rand() * (1 << 53)) }
	}
	q := &Leased{
		store: store, ids: ids{prefix: prefix(draw)}, rand: random.New(draw()),
		seed: maphash.MakeSeed(), shares: NewMemory(s.Keys),
	}
	for i := range q.shards {
		q.shards[i].places = (s.Keys-1)/leaseShards + 1
		q.shards[i].leases = map[string]*lease{}
	}
	q.set.Store(s)
	return q, nil
}

// AllowAt admits the cost for the key out of the slice, or refuses it. It never
// waits: with the first request for a key it has no slice yet, and RetryAfter is
// when one may be there.
func (q *Leased) AllowAt(now int64, key string, cost float64) Decision {
	return q.allowAt(now, key, cost, true)
}

// AgainAt is AllowAt for a request that it was asked about before, and that waited
// for the store since: it is demanded once.
func (q *Leased) AgainAt(now int64, key string, cost float64) Decision {
	return q.allowAt(now, key, cost, false)
}

func (q *Leased) allowAt(now int64, key string, cost float64, first bool) Decision {
	s := q.set.Load()
	d, next, err := q.decide(now, s, key, cost, first)
	switch next {
	case failing:
		return without(now, s, q.shares, key, cost, err, s.period)
	case askNow, await:
		return Decision{RetryAfter: s.Timeout}
	}
	return d
}

// decide also counts the demand, the first time that it is told of a request.
func (q *Leased) decide(now int64, s *settings, key string, cost float64, first bool) (Decision, step, error) {
	if s.Rate == 0 {
		return unlimited(cost), decided, nil
	}
	if !(cost >= 0 && cost <= s.Burst) {
		return Decision{RetryAfter: Never}, decided, nil
	}
	sh := q.shard(key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	l := sh.lease(now, s, key)
	if l == nil {
		return Decision{}, askNow, nil
	}
	if first {
		l.offered += cost
	}
	d, next := l.decide(now, s, cost)
	return d, next, l.err
}

// AskAt returns what to send to the store so that a request can be admitted. It is
// false when there is nothing to send: because enough is there, because it was
// sent already, or because the store said to come later.
//
// What is sent is one Take, whose outcome GrantedAt or FailedAt must be told. If
// neither is, it is asked again after twice the Timeout.
func (q *Leased) AskAt(now int64, key string, cost float64) (Take, bool) {
	s := q.set.Load()
	if s.Rate == 0 || !(cost > 0 && cost <= s.Burst) {
		return Take{}, false
	}
	sh := q.shard(key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	l := sh.lease(now, s, key)
	if l == nil { // no place for a slice: the store decides about this one request
		return Take{Key: key, ID: q.ids.next(), Limit: s.limit, Need: cost, Remember: s.Remember}, true
	}
	if !l.ready(now, s) || cost <= l.unspent(now) {
		return Take{}, false
	}
	need, want := l.wanted(now, s, cost)
	return l.ask(now, s, Take{Key: key, ID: q.ids.next(), Need: need, Want: want}), true
}

// GrantedAt is told the answer of the store to a Take.
func (q *Leased) GrantedAt(now int64, t Take, g Grant) {
	s := q.set.Load()
	pause := q.pause(s)
	q.with(t.Key, func(l *lease) { l.granted(now, s, &t, g, pause) })
}

// FailedAt is told that there is no answer to a Take, and why: whether it was
// carried out is not known. Until the next answer the quota does as OnFailure
// says when a slice does not suffice.
func (q *Leased) FailedAt(now int64, t Take, err error) {
	pause := q.pause(q.set.Load())
	err = storeError(err)
	q.with(t.Key, func(l *lease) { l.failed(now, &t, err, pause) })
}

// pause is a period, and up to a quarter more or less: else the same instance
// would always come after the one that takes most.
func (q *Leased) pause(s *settings) time.Duration {
	return time.Duration(float64(s.period) * (0.75 + 0.5*q.rand.Float64()))
}

func (q *Leased) shard(key string) *leaseShard {
	return &q.shards[maphash.String(q.seed, key)%leaseShards]
}

// with calls f, a function of this package, with the lease of a key if there is
// one, under its lock.
func (q *Leased) with(key string, f func(*lease)) {
	sh := q.shard(key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if l := sh.leases[key]; l != nil {
		f(l)
	}
}

// lease returns the lease of a key, or nil if there is no place for another.
func (sh *leaseShard) lease(now int64, s *settings, key string) *lease {
	l := sh.leases[key]
	if l == nil && (len(sh.leases) < sh.places || sh.free(now, s)) {
		l = &lease{counted: now, used: now}
		sh.leases[key] = l
	}
	return l
}

// free drops a lease that nobody used for a term, and with it what was unspent, if
// it finds one.
func (sh *leaseShard) free(now int64, s *settings) bool {
	n := 0
	for key, l := range sh.leases {
		if l.flight == nil && now >= clock.Add(l.used, s.Term) && now >= l.ends {
			delete(sh.leases, key)
			return true
		}
		if n++; n == looks {
			break
		}
	}
	return false
}

// Set changes the limits, see [Quota]. Slices that were taken before may still be
// spent.
func (q *Leased) Set(cfg Config) error { return replace(&q.set, cfg, ModeLeased) }

// Stats returns what happened so far and what is held now. It looks at every key.
func (q *Leased) Stats() Stats {
	st := Stats{Asked: q.trips.Load(), Failed: q.fails.Load()}
	for i := range q.shards {
		sh := &q.shards[i]
		sh.mu.Lock()
		st.Keys += len(sh.leases)
		for _, l := range sh.leases {
			st.Held += l.tokens
		}
		sh.mu.Unlock()
	}
	return st
}
