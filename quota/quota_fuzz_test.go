package quota

import (
	"encoding/binary"
	"math"
	"math/big"
	"testing"
	"time"
)

// exact is a bucket in rational numbers.
type exact struct {
	level, burst, rate *big.Rat // rate per nanosecond
	at                 int64
}

func rat(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

func (e *exact) take(now int64, t *Take) (granted float64, near bool) {
	now = max(now, 0)
	switch {
	case now > e.at:
		e.level.Add(e.level, new(big.Rat).Mul(e.rate, new(big.Rat).SetInt64(now-e.at)))
		e.at = now
	case now < e.at-int64(time.Minute):
		e.at = now
	}
	e.level.Add(e.level, rat(t.Return))
	e.shorten()
	if e.level.Cmp(e.burst) > 0 {
		e.level.Set(e.burst)
	}
	need := rat(t.Need)
	if need.Cmp(e.burst) > 0 {
		return 0, false
	}
	level, _ := e.level.Float64()
	burst, _ := e.burst.Float64()
	near = math.Abs(level-t.Need) < 1e-6*(1+level+t.Need)+2*slack*burst
	if need.Cmp(e.level) > 0 {
		return 0, near
	}
	most := rat(max(t.Want, t.Need))
	half := new(big.Rat).Mul(e.level, big.NewRat(1, 2))
	if half.Cmp(most) < 0 {
		most = half
	}
	if flow := new(big.Rat).Mul(e.rate, new(big.Rat).SetInt64(int64(t.Period))); flow.Cmp(e.level) > 0 {
		part := new(big.Rat).Mul(rat(t.Want), e.level)
		if part.Quo(part, flow); part.Cmp(most) < 0 {
			most = part
		}
	}
	extra, _ := new(big.Rat).Sub(most, need).Float64()
	whole := math.Floor(max(extra, 0))
	near = near || math.Abs(extra-math.Round(extra)) < 1e-6*(1+level)
	return t.Need + whole, near
}

// shorten rounds the level down to a multiple of a 2^160th, so that its digits do
// not grow without end.
func (e *exact) shorten() {
	n := new(big.Int).Lsh(e.level.Num(), 160)
	e.level.SetFrac(n.Div(n, e.level.Denom()), new(big.Int).Lsh(big.NewInt(1), 160))
}

// FuzzBucket compares the store with the exact bucket: the same grant but where
// rounding decides, and then the exact one follows.
func FuzzBucket(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18})
	f.Add([]byte{0, 0, 10, 0, 0, 100, 0, 50, 1, 0, 0, 0, 0, 60, 200, 3, 255, 255, 1, 0, 9, 9, 9, 9})
	f.Fuzz(func(t *testing.T, script []byte) {
		next := func() float64 {
			if len(script) < 2 {
				return 0
			}
			x := binary.LittleEndian.Uint16(script)
			script = script[2:]
			return float64(x&0xfff) * math.Pow10(int(x>>12)-6)
		}
		// A store is only given limits that Config allows.
		limit := Limit{
			Rate:   min(max(next(), minRate), maxRate),
			Window: time.Duration(min(max(next()*1e6, 1e6), float64(366*24*time.Hour))),
			Burst:  min(max(next(), minRate), maxRate),
		}
		m := NewMemory(1)
		e := &exact{level: rat(limit.Burst), burst: rat(limit.Burst)}
		e.rate = new(big.Rat).Quo(rat(limit.Rate), new(big.Rat).SetInt64(int64(limit.Window)))
		now := int64(0)
		for i := 0; len(script) > 0 && i < 50; i++ {
			now += int64(next()*1e3) - 2*int64(next())
			x := Take{Key: "k", Limit: limit, Return: next(), Need: next(), Want: next(), Period: time.Duration(next() * 1e6)}
			if i == 0 {
				e.at = max(now, 0)
			}
			got := m.TakeAt(now, x)
			want, near := e.take(now, &x)
			if got.Granted != want && !near && math.Abs(got.Granted-want) > 1e-6*want {
				t.Fatalf("%d: %+v at %d: granted %v, want %v (level %v)", i, x, now, got.Granted, want, e.level.FloatString(6))
			}
			e.level.Sub(e.level, rat(got.Granted))
			level, _ := e.level.Float64()
			if math.Abs(level-got.Remaining) > 1e-6*(1+limit.Burst) {
				t.Fatalf("%d: %v remain, want %v", i, got.Remaining, level)
			}
			if got.RetryAfter < 0 || got.ResetAfter < 0 || got.Remaining < 0 || got.Granted < 0 {
				t.Fatalf("%d: negative: %+v", i, got)
			}
			if got.Granted < x.Need && got.RetryAfter != Never {
				again := got.RetryAfter
				if now = add(max(now, e.at), again); now < math.MaxInt64/2 {
					if g := m.TakeAt(now, Take{Key: "k", Limit: limit, Need: x.Need}); g.RetryAfter != 0 || g.Granted != x.Need {
						t.Fatalf("%d: after %v: %+v, want %v", i, again, g, x.Need)
					}
					y := Take{Need: x.Need}
					e.take(now, &y)
					e.level.Sub(e.level, rat(x.Need))
				} else {
					return
				}
			}
		}
	})
}

func add(t int64, d time.Duration) int64 {
	if t > math.MaxInt64-int64(d) {
		return math.MaxInt64
	}
	return t + int64(d)
}

// FuzzConfig: whatever Validate lets through works, and Effective is settled.
func FuzzConfig(f *testing.F) {
	f.Add("leased", 100.0, int64(time.Second), 50.0, int64(0), int64(0), 0.0, int64(0), 3)
	f.Add("central", 1e12, int64(time.Hour), 1e-9, int64(1), int64(1), 1.0, int64(1), 0)
	f.Add("", math.NaN(), int64(-1), math.Inf(1), int64(0), int64(0), -1.0, int64(0), -1)
	f.Fuzz(func(t *testing.T, mode string, rate float64, window int64, burst float64, timeout, period int64, slice float64, term int64, instances int) {
		c := Config{Mode: Mode(mode), Rate: rate, Window: time.Duration(window), Burst: burst, Timeout: time.Duration(timeout),
			Period: time.Duration(period), MaxSlice: slice, Term: time.Duration(term), Instances: instances}
		if c.Validate() != nil {
			return
		}
		e := c.Effective()
		if err := e.Validate(); err != nil {
			t.Fatalf("%+v becomes %+v: %v", c, e, err)
		}
		if e.Effective() != e {
			t.Fatalf("%+v is not settled", e)
		}
		if c.Mode != ModeLeased {
			return
		}
		store := NewMemory(0)
		q, err := NewLeased(c, store, Options{})
		if err != nil {
			t.Fatal(err)
		}
		cost := min(1, e.Burst)
		if take, ok := q.AskAt(0, "k", cost); ok {
			q.GrantedAt(0, take, store.TakeAt(0, take))
			if d := q.AllowAt(0, "k", cost); !d.OK {
				t.Fatalf("%+v: the first request is refused: %+v", c, d)
			}
		} else if rate != 0 {
			t.Fatalf("%+v: does not ask", c)
		}
	})
}
