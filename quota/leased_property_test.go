package quota

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// aFleet draws a few instances, their quota, and what goes wrong.
func aFleet(t *rapid.T, cfg Config) (f *fleet, heal int64) {
	n := rapid.IntRange(1, 5).Draw(t, "instances")
	demand := make([]float64, n)
	for i := range demand {
		demand[i] = rapid.SampledFrom([]float64{1, 20, 300, 2000}).Draw(t, "demand")
	}
	cfg.Mode, cfg.OnFailure = ModeLeased, FailClosed
	cfg.Burst = rapid.SampledFrom([]float64{1, 10, 500, 5000}).Draw(t, "burst")
	cfg.Period = rapid.SampledFrom([]time.Duration{0, 20 * time.Millisecond, time.Second}).Draw(t, "period")
	cfg.Term = rapid.SampledFrom([]time.Duration{0, time.Second}).Draw(t, "term")
	f = newFleet(t, cfg, demand)
	f.rand = rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	heal = 3 * second
	// Each message of an instance is lost in a stretch of time, or by chance.
	type fault struct {
		from, to int64
		chance   float64
	}
	faults := make([]fault, n)
	for i := range faults {
		from := rapid.Int64Range(0, heal).Draw(t, "from")
		to := min(from+rapid.Int64Range(0, 2*second).Draw(t, "long"), heal)
		faults[i] = fault{from, to, rapid.SampledFrom([]float64{0, 0.1, 0.5}).Draw(t, "chance")}
	}
	f.lost = func(i int, now int64) bool {
		x := faults[i]
		return now < heal && (now >= x.from && now < x.to || f.rand.Float64() < x.chance)
	}
	return f, heal
}

// TestNeverMoreThanThePageSays: from the first use on never more than the bucket
// of all would admit, and in no stretch of time more than that and what was held,
// whatever is lost and whoever crashes.
func TestNeverMoreThanThePageSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.SampledFrom([]float64{0.01, 5, 100, 3000}).Draw(t, "rate")
		f, heal := aFleet(t, Config{Rate: rate})
		s := f.all[0].q.set.Load()
		for i := range f.all {
			if rapid.IntRange(0, 3).Draw(t, "crash") == 0 {
				f.at(rapid.Int64Range(0, heal).Draw(t, "when"), func() { f.all[i].crashed = true })
			}
		}
		type sample struct {
			at    int64
			admit float64
			held  float64 // what could be spent at once
		}
		var all []sample
		held := float64(len(f.all)) * s.MaxSlice
		for now := 50 * ms; now <= heal+second; now += 50 * ms {
			f.run(now)
			all = append(all, sample{now, float64(f.admit), held})
			flow := rate * float64(now) / float64(second)
			if most := s.Burst + flow + 1e-6; float64(f.admit) > most {
				t.Fatalf("%d admitted in %v, at most %v", f.admit, time.Duration(now), most)
			}
			for _, a := range all {
				flow := rate * float64(now-a.at) / float64(second)
				if got, most := float64(f.admit)-a.admit, s.Burst+a.held+flow+1e-6; got > most {
					t.Fatalf("%v admitted in %v, at most %v", got, time.Duration(now-a.at), most)
				}
			}
			for i, in := range f.all {
				if got := in.q.Stats().Held; got > max(s.MaxSlice, 1)+1e-6 {
					t.Fatalf("instance %d holds %v, at most %v", i, got, s.MaxSlice)
				}
			}
		}
	})
}

// TestNothingIsLostButByCrashes: what was charged and not spent is in the bucket
// again when the demand is over, although answers were lost on the way: asks that
// are sent again are neither charged twice nor given back twice.
func TestNothingIsLostButByCrashes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, heal := aFleet(t, Config{Rate: 1e-6, Remember: time.Minute})
		f.run(heal)
		for _, in := range f.all {
			in.every = math.MaxInt64 / 2 // the last request
		}
		f.run(heal + 20*second)
		s := f.all[0].q.set.Load()
		left := f.store.TakeAt(f.now, Take{Key: key, Limit: s.limit}).Remaining
		if held := f.held(); held != 0 {
			t.Fatalf("%v is held by nobody's demand", held)
		}
		if sum := left + float64(f.admit); math.Abs(sum-s.Burst) > 1e-3 {
			t.Fatalf("%v left and %d admitted, of %v", left, f.admit, s.Burst)
		}
		for i, in := range f.all {
			if n := in.q.Stats().Keys; n > 0 {
				t.Fatalf("instance %d remembers %d keys", i, n)
			}
		}
	})
}

// TestMemoryIsBounded: however many keys there are, no key gets more than its
// limit, and no more than the places are kept.
func TestMemoryIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const places = 32
		m := NewMemory(places)
		limit := Limit{Rate: 10, Window: time.Second, Burst: 3}
		type used struct{ first, sum float64 }
		spent := map[string]used{}
		now := 0.0
		for range rapid.IntRange(1, 300).Draw(t, "takes") {
			now += rapid.Float64Range(0, 0.2).Draw(t, "pause")
			k := rapid.StringMatching(`[a-z][a-z]`).Draw(t, "key")
			u, ok := spent[k]
			if !ok {
				u.first = now
			}
			u.sum += m.TakeAt(int64(now*1e9), Take{Key: k, Limit: limit, Need: 1}).Granted
			spent[k] = u
			if most := 3 + 10*(now-u.first) + 1e-6; u.sum > most {
				t.Fatalf("%q got %v, at most %v", k, u.sum, most)
			}
		}
		n := 0
		for i := range m.shards {
			n += len(m.shards[i].buckets)
		}
		if n > places {
			t.Fatalf("%d buckets in %d places", n, places)
		}
	})
}
