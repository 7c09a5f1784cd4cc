package proxy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"github.com/stanch-go/stanch/policy"
	"github.com/stanch-go/stanch/quota"
	"github.com/stanch-go/stanch/quota/redisquota"
)

// A sharedQuota is one that a store keeps, and what looks after it.
type sharedQuota struct {
	quota.Quota
	name   string
	prefix string
	cfg    policy.Quota
	client *redis.Client
	store  *watchedStore
	stop   context.CancelFunc // nil until it runs
}

type quotas []*sharedQuota

// quotasOf returns the quotas of a policy that have a store: those before where
// they can become what they should be, which start makes them.
func (p *Proxy) quotasOf(service string, in *policy.Inbound, old *intake) (quotas, error) {
	var all quotas
	for name, cfg := range in.Quotas.All() {
		if cfg.Store == "" || cfg.Rate <= 0 {
			continue
		}
		q := old.shares(name, prefixOf(service, name), cfg)
		if q == nil {
			var err error
			if q, err = p.newQuota(service, name, cfg); err != nil {
				all.drop(old)
				return nil, fmt.Errorf("quotas.%s.%w", name, err)
			}
		}
		all = append(all, q)
	}
	return all, nil
}

// shares returns the quota of this name if it may become another one.
func (in *intake) shares(name, prefix string, cfg policy.Quota) *sharedQuota {
	if in == nil {
		return nil
	}
	for _, q := range in.shared {
		if q.name == name && q.prefix == prefix && q.cfg.Mode == cfg.Mode && q.cfg.Keys == cfg.Keys && q.cfg.Store == cfg.Store && q.cfg.By == cfg.By {
			return &sharedQuota{Quota: q.Quota, name: name, prefix: prefix, cfg: cfg, client: q.client, store: q.store, stop: q.stop}
		}
	}
	return nil
}

var silence sync.Once

func (p *Proxy) newQuota(service, name string, cfg policy.Quota) (*sharedQuota, error) {
	silence.Do(logging.Disable) // what goes wrong with a store is told once, and here
	o, err := redis.ParseURL(string(cfg.Store))
	if err != nil {
		return nil, errors.New("store: is no URL of a Redis") // which may have a password in it
	}
	o.ContextTimeoutEnabled, o.DialerRetries, o.ClientName = true, 1, "stanch"
	q := &sharedQuota{name: name, prefix: prefixOf(service, name), cfg: cfg, client: redis.NewClient(o)}
	store, err := redisquota.New(q.client, redisquota.Config{Prefix: q.prefix})
	if err == nil {
		q.store = &watchedStore{Store: store, proxy: p, name: name}
		q.Quota, err = quota.New(cfg.Config, q.store)
	}
	if err != nil {
		q.client.Close()
		return nil, err
	}
	return q, nil
}

// prefixOf begins the keys of a quota: those who say the same share it.
func prefixOf(service, name string) string {
	prefix := "stanch:" + service + ":" + name + ":"
	if len(prefix) > 64 || strings.ContainsAny(prefix, "{}") {
		sum := sha256.Sum256([]byte(prefix))
		prefix = "stanch:" + hex.EncodeToString(sum[:16]) + ":"
	}
	return prefix
}

// startQuotas puts the quotas in force, and ends those of before that are no more. The
// caller holds swapping.
func (p *Proxy) startQuotas(after, before *intake) {
	var kept quotas
	if after != nil {
		kept = after.shared
	}
	for _, q := range kept {
		if q.stop != nil {
			if err := q.Set(q.cfg.Config); err != nil { // it was validated
				p.options.Log.Error("quota", "quota", q.name, "error", err)
			}
			continue
		}
		if p.life.Err() != nil {
			q.client.Close() // the proxy has ended
			continue
		}
		q.run()
	}
	if before == nil {
		return
	}
	for _, q := range before.shared {
		if q.stop != nil && !kept.has(q.Quota) {
			q.stop()
		}
	}
}

// run looks after the quota until stop.
func (q *sharedQuota) run() {
	ctx, stop := context.WithCancel(context.Background())
	q.stop = stop
	q.store.proxy.looksAfter.Go(func() {
		defer q.client.Close()
		q.greet(ctx)
		if leased, ok := q.Quota.(*quota.Leased); ok {
			leased.Run(ctx) // what could not be given back the store has told
			return
		}
		<-ctx.Done()
	})
}

// greet tells of a store that is not there at the start.
func (q *sharedQuota) greet(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	q.store.saw(q.client.Ping(ctx).Err())
}

// endQuotas ends the quotas, and waits until what they and those before them hold
// is given back: a bounded time.
func (p *Proxy) endQuotas() {
	p.swapping.Lock()
	defer p.swapping.Unlock()
	if in := p.table.Load().intake; in != nil {
		for _, q := range in.shared {
			if q.stop != nil {
				q.stop()
			}
		}
	}
	p.looksAfter.Wait()
}

func (all quotas) has(other quota.Quota) bool {
	for _, q := range all {
		if q.Quota == other {
			return true
		}
	}
	return false
}

// drop forgets quotas that were made and not put in force.
func (all quotas) drop(old *intake) {
	for _, q := range all {
		if old == nil || !old.shared.has(q.Quota) {
			q.client.Close()
		}
	}
}

// A watchedStore tells when its store begins and ceases to answer.
type watchedStore struct {
	quota.Store
	proxy *Proxy
	name  string
	fails atomic.Bool
}

func (s *watchedStore) Take(ctx context.Context, takes []quota.Take, grants []quota.Grant) error {
	err := s.Store.Take(ctx, takes, grants)
	s.saw(err)
	return err
}

func (s *watchedStore) saw(err error) {
	if errors.Is(err, context.Canceled) || s.fails.Swap(err != nil) == (err != nil) {
		return // nobody waited any more, or it is known
	}
	if err == nil {
		s.proxy.events.add(Event{Kind: KindQuota, Text: "quota " + s.name + ": its store answers again"})
		s.proxy.options.Log.Info("the store of a quota answers again", "quota", s.name)
		return
	}
	s.proxy.events.add(Event{Kind: KindQuota, Text: "quota " + s.name + ": its store does not answer"})
	s.proxy.options.Log.Warn("the store of a quota does not answer", "quota", s.name, "error", err)
}
