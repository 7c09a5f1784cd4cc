package bench

import (
	"context"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-chi/httprate"
	"github.com/sethvargo/go-limiter/memorystore"
	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/memstore"
	"github.com/ulule/limiter/v3"
	"github.com/ulule/limiter/v3/drivers/store/memory"
	"golang.org/x/time/rate"

	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/ratelimit"
)

const (
	million  = 1 << 20
	keyRate  = 1000 // an hour: no key comes to rest, none is refused at first
	keyEvery = time.Hour
)

// A store decides on keys.
type store struct {
	who string
	new func() (allow func(key string) bool, stop func())
}

func stores(keys int) []store {
	ctx, none := context.Background(), func() {}
	return []store{
		{"stanch", func() (func(string) bool, func()) {
			l := must(ratelimit.NewKeyed(ratelimit.KeyedConfig{Rate: keyRate, Window: keyEvery, Keys: keys}))
			return func(k string) bool { return l.AllowAt(clock.Real.Now(), k, 1).OK }, none
		}},
		{"x/time-in-sync.Map", func() (func(string) bool, func()) { // as it is written by hand; nothing is ever evicted
			var m sync.Map
			return func(k string) bool {
				l, ok := m.Load(k)
				if !ok {
					l, _ = m.LoadOrStore(k, rate.NewLimiter(rate.Limit(keyRate/keyEvery.Seconds()), keyRate))
				}
				return l.(*rate.Limiter).Allow()
			}, none
		}},
		{"throttled", func() (func(string) bool, func()) {
			l := must(throttled.NewGCRARateLimiterCtx(must(memstore.NewCtx(2*keys)), throttled.RateQuota{MaxRate: throttled.PerDuration(keyRate, keyEvery), MaxBurst: keyRate - 1}))
			return func(k string) bool { limited, _, err := l.RateLimitCtx(ctx, k, 1); return !limited && err == nil }, none
		}},
		{"go-limiter", func() (func(string) bool, func()) {
			s := must(memorystore.New(&memorystore.Config{Tokens: keyRate, Interval: keyEvery, InitialAlloc: keys}))
			return func(k string) bool { _, _, _, ok, _ := s.Take(ctx, k); return ok }, func() { s.Close(ctx) }
		}},
		{"ulule", func() (func(string) bool, func()) {
			l := limiter.New(memory.NewStore(), limiter.Rate{Period: keyEvery, Limit: keyRate})
			return func(k string) bool { r, _ := l.Get(ctx, k); return !r.Reached }, none
		}},
		{"httprate", func() (func(string) bool, func()) { // a counter of two windows, not the exact state of a key
			c := httprate.NewLocalLimitCounter(keyEvery)
			c.Config(keyRate, keyEvery)
			return func(k string) bool {
				now := time.Now().UTC().Truncate(keyEvery)
				this, last, err := c.Get(k, now, now.Add(-keyEvery))
				if err != nil || this+last >= keyRate {
					return false
				}
				return c.Increment(k, now) == nil
			}, none
		}},
	}
}

// Keyed is a million keys, each in use. Memory and the length of a full garbage
// collection are of the store alone: nothing else keeps the keys.
func BenchmarkKeyed(b *testing.B) {
	keys := million
	if testing.Short() { // to see that it runs
		keys = 1 << 10
	}
	b.Run("memory", func(b *testing.B) {
		for _, s := range stores(keys) {
			b.Run(s.who, func(b *testing.B) {
				for b.Loop() {
					before := heap()
					allow, stop := s.new()
					for i := range keys {
						allow(strconv.Itoa(i * 7919))
					}
					size := float64(heap()-before) / float64(keys)
					shortest := time.Hour
					for range 3 {
						began := time.Now()
						runtime.GC()
						shortest = min(shortest, time.Since(began))
					}
					allow("0") // it has been in use until here
					stop()
					b.ReportMetric(size, "B/key")
					b.ReportMetric(float64(shortest.Nanoseconds()), "gc-ns")
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	})
	b.Run("decision", func(b *testing.B) {
		names := make([]string, keys)
		for i := range names {
			names[i] = strconv.Itoa(i * 7919)
		}
		for _, s := range stores(keys) {
			allow, stop := s.new()
			for _, k := range names {
				allow(k)
			}
			runtime.GC()
			var seed atomic.Uint64
			b.Run(s.who, func(b *testing.B) {
				b.ReportAllocs()
				b.RunParallel(func(pb *testing.PB) {
					at, used := seed.Add(1)*0x9e3779b97f4a7c15, 0
					for pb.Next() { // keys in no order, as they come
						at = at*6364136223846793005 + 1442695040888963407
						if allow(names[at>>32&uint64(keys-1)]) {
							used++
						}
					}
					runtime.KeepAlive(used)
				})
			})
			stop()
		}
	})
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what finalizers kept
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
