package ratelimit

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// A scale measures time and cost in the same units, so that a limiter's whole
// state is one number: its theoretical arrival time (TAT), the time at which all
// that was admitted would have been refilled.
//
// One unit is a power of ten of cost, so decimal costs and rates are exact, and
// takes at least 1 ns to refill, so a time in units does not overflow.
type scale struct {
	rise   uint64  // units refilled per ns, times 1<<63
	unit   float64 // units in a cost of 1: 10 to the power of digits
	digits int
	burst  uint64 // in units, at most maxBurst
}

// maxBurst keeps amounts exact as a float64, also after a division and a
// multiplication by the unit.
const maxBurst = 1 << 50

// lateness is how old a caller's reading of the clock may be. One that is older
// means that time went back.
const lateness = time.Minute

// newScale is for values within the ranges of [Config].
func newScale(rate, burst float64, window time.Duration) scale {
	finest := min(float64(window)/rate, maxBurst/burst)
	digits := int(math.Floor(math.Log10(finest))) + 1 // it may be rounded down
	for ; ; digits-- {
		unit := math.Pow10(digits)
		if rise := rise(rate, window, digits); rise <= 1<<63 && burst*unit <= maxBurst {
			s := scale{rise: rise, unit: unit, digits: digits}
			s.burst, _ = toUnits(burst, unit)
			return s
		}
	}
}

// rise takes the rate for the decimal number that its author wrote, 33.3 and not
// the binary fraction nearest to it. It rounds up, by less than one unit in all
// the time there is, so that a whole unit is there at its nanosecond.
func rise(rate float64, window time.Duration, digits int) uint64 {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(rate, 'g', -1, 64))
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(digits, -digits))), nil)
	if digits >= 0 {
		r.Mul(r, new(big.Rat).SetInt(power))
	} else {
		r.Quo(r, new(big.Rat).SetInt(power))
	}
	r.Mul(r, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 63)))
	r.Quo(r, new(big.Rat).SetInt64(int64(window)))
	q, rest := new(big.Int).QuoRem(r.Num(), r.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	if !q.IsUint64() {
		return math.MaxUint64
	}
	return q.Uint64()
}

// at returns an instant in units, rounded down: less than 1<<63.
func (s *scale) at(now int64) uint64 {
	v, _ := bits.Mul64(uint64(max(now, 0))<<1, s.rise)
	return v
}

// when is the inverse of at: the first instant that is not before v.
func (s *scale) when(v uint64) int64 {
	if v>>1 >= s.rise {
		return clock.Never
	}
	t, rest := bits.Div64(v>>1, v<<63, s.rise)
	if rest > 0 {
		t++
	}
	if t > math.MaxInt64 {
		return clock.Never
	}
	return int64(t)
}

// after returns how long it takes from now until v.
func (s *scale) after(now int64, v uint64) time.Duration { return between(now, s.when(v)) }

// units returns a cost in units, and whether it can ever be admitted.
func (s *scale) units(cost float64) (n uint64, ok bool) {
	n, ok = toUnits(cost, s.unit)
	return n, ok && n <= s.burst
}

// toUnits rounds up, but not for a surplus as small as the last bits of x, which
// stems from 1.1 not being a binary fraction. It is false for what is no cost.
func toUnits(cost, unit float64) (n uint64, ok bool) {
	x := cost * unit
	if !(cost >= 0 && x <= 1<<62) {
		return 0, false
	}
	n = uint64(x)
	if x-float64(n) > x*0x1p-51 {
		n++
	}
	return n, true
}

// convert returns an amount in the units of another scale, rounded up.
func (s *scale) convert(n uint64, to *scale) uint64 {
	for d := s.digits; d < to.digits; d++ {
		if n > (1<<62)/10 {
			return 1 << 62
		}
		n *= 10
	}
	for d := s.digits; d > to.digits && n > 0; d-- {
		n = (n + 9) / 10
	}
	return n
}

// goneBack says that a TAT is further ahead of v than the most there can be and a
// late reading of the clock explain.
func (s *scale) goneBack(tat, v, most uint64) bool {
	return above(tat, v) > most+s.at(int64(lateness))+1
}

// state describes a limiter that has this TAT at the instant v, which is now.
func (s *scale) state(now int64, v, tat uint64) Decision {
	if tat <= v {
		return Decision{Remaining: float64(s.burst) / s.unit}
	}
	return Decision{
		Remaining:  float64(above(s.burst, tat-v)) / s.unit,
		ResetAfter: s.after(now, tat),
	}
}

// above returns a - b, or 0.
func above(a, b uint64) uint64 {
	if a <= b {
		return 0
	}
	return a - b
}

// between returns to - from: 0 if time went backwards, Never if it never comes.
func between(from, to int64) time.Duration {
	switch d := to - from; {
	case to <= from:
		return 0
	case d < 0 || to == clock.Never:
		return Never
	default:
		return time.Duration(d)
	}
}
