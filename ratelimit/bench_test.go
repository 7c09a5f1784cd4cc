package ratelimit_test

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/ratelimit"
)

func BenchmarkAllowAt(b *testing.B) {
	for _, a := range algorithms {
		b.Run(string(a), func(b *testing.B) {
			l := must(ratelimit.New(ratelimit.Config{Algorithm: a, Rate: 1e6}))
			now := int64(time.Hour)
			b.ReportAllocs()
			for b.Loop() {
				now += 1000
				l.AllowAt(now, 1)
			}
		})
	}
}

func BenchmarkRefuse(b *testing.B) {
	for _, a := range algorithms {
		b.Run(string(a), func(b *testing.B) {
			l := must(ratelimit.New(ratelimit.Config{Algorithm: a, Rate: 1, Window: time.Hour}))
			l.AllowAt(0, 1)
			b.ReportAllocs()
			for b.Loop() {
				l.AllowAt(1, 1)
			}
		})
	}
}

func BenchmarkBucket(b *testing.B) {
	l := must(ratelimit.NewBucket(ratelimit.Config{Rate: 1e6}))
	b.Run("allow", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			l.Allow(1)
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				l.Allow(1)
			}
		})
	})
	b.Run("reserve", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r, _ := l.Reserve(1)
			r.CancelAt(0)
		}
	})
	b.Run("clock", func(b *testing.B) {
		for b.Loop() {
			clock.Real.Now()
		}
	})
}

// Neither an admission nor a refusal allocates.
func TestAllocations(t *testing.T) {
	for _, a := range algorithms {
		l := must(ratelimit.New(ratelimit.Config{Algorithm: a, Rate: 50}))
		now := int64(0)
		for range 200 { // the log has grown to its size
			now += 10 * ms
			l.AllowAt(now, 1)
		}
		if n := testing.AllocsPerRun(1000, func() { now += 10 * ms; l.AllowAt(now, 1) }); n != 0 {
			t.Errorf("%s: %v allocations", a, n)
		}
	}
	b := newBucket(1e6, 1e6, 0)
	if n := testing.AllocsPerRun(1000, func() { b.Wait(t.Context(), 1) }); n != 0 {
		t.Errorf("a wait that need not: %v allocations", n)
	}
	k, key := newKeyed(10, 100), []byte("a tenant of 32 bytes and no more")
	if n := testing.AllocsPerRun(1000, func() { k.AllowAt(0, string(key), 1) }); n != 0 {
		t.Errorf("keyed: %v allocations", n)
	}
}

// The keys are in use all the time, none at rest.
func BenchmarkKeyed(b *testing.B) {
	for _, n := range []int{1000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			keys := make([]string, n)
			for i := range keys {
				keys[i] = "tenant-" + strconv.Itoa(i)
			}
			before := heap()
			l := must(ratelimit.NewKeyed(ratelimit.KeyedConfig{Rate: 1000, Window: time.Hour, Keys: n}))
			for _, k := range keys {
				l.AllowAt(0, k, 1)
			}
			size := float64(heap()-before) / float64(n)
			over := float64(l.Overflowed())
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if i++; i == n {
					i = 0
				}
				l.AllowAt(0, keys[i], 1)
			}
			b.ReportMetric(size, "B/key")
			b.ReportMetric(over, "overflowed")
		})
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
