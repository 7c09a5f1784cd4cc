package retry_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/random"
	"github.com/stanch-go/stanch/retry"
)

// FuzzBackoff compares the computed wait with one of arbitrary precision, for any
// configuration, valid or not.
func FuzzBackoff(f *testing.F) {
	f.Add(int64(100*ms), int64(10*time.Second), 2.0, 3, int64(0), uint64(1))
	f.Add(int64(1), int64(math.MaxInt64), 10.0, math.MaxInt, int64(math.MaxInt64), uint64(2))
	f.Add(int64(-1), int64(-1), math.NaN(), -1, int64(-1), uint64(3))
	f.Add(int64(5), int64(3), math.Inf(1), 7, int64(math.MinInt64), uint64(4))
	f.Fuzz(func(t *testing.T, base, longest int64, multiplier float64, n int, prev int64, seed uint64) {
		c := retry.Config{
			Base: time.Duration(base), Cap: time.Duration(longest), Multiplier: multiplier, Jitter: retry.None,
		}
		raw := c.Backoff(n, 0, nil)

		d := c // the defaults, as documented
		if base <= 0 {
			d.Base = 100 * ms
		}
		if longest <= 0 {
			d.Cap = 10 * time.Second
		}
		if !(multiplier >= 1) {
			d.Multiplier = 2
		}
		exact := new(big.Float).SetPrec(400).SetInt64(int64(min(d.Base, d.Cap)))
		limit := new(big.Float).SetInt64(int64(d.Cap))
		for range min(max(n, 1), retry.MaxAttempts) - 1 {
			if math.IsInf(d.Multiplier, 1) {
				exact = limit
				break
			}
			if exact.Mul(exact, big.NewFloat(d.Multiplier)); exact.Cmp(limit) >= 0 {
				exact = limit
				break
			}
		}
		want, _ := exact.Float64()
		// Each of at most 99 steps may lose a unit of the last place, the end a nanosecond.
		slack := want*1e-13 + 1
		if math.Abs(float64(raw)-want) > slack || raw > d.Cap || raw < 0 {
			t.Fatalf("%+v: Backoff(%d) = %d, want %.0f", c, n, raw, want)
		}

		rnd := random.New(seed)
		for _, jitter := range []retry.Jitter{retry.Full, retry.Equal, retry.Decorrelated} {
			c.Jitter = jitter
			least, most := time.Duration(0), raw
			switch jitter {
			case retry.Equal:
				least = raw / 2
			case retry.Decorrelated:
				least, most = min(d.Base, d.Cap), d.Cap
			}
			if got := c.Backoff(n, time.Duration(prev), rnd); got < least || got > most {
				t.Fatalf("%+v: Backoff(%d, %d) = %d, want between %d and %d", c, n, prev, got, least, most)
			}
		}
	})
}
