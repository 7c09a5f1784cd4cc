package ratelimit

import (
	"fmt"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
	"pgregory.net/rapid"
)

// Costs that are decimal numbers are exact, although a float64 is not.
func TestDecimalCosts(t *testing.T) {
	for k := uint64(1); k < 20_000; k++ {
		for digits, n := 2, k; digits <= 10; digits++ {
			got, ok := toUnits(float64(k)/100, math.Pow10(digits))
			if got != n || !ok {
				t.Fatalf("%v/100 are %d units of 1e-%d, want %d", k, got, digits, n)
			}
			n *= 10
		}
	}
	for cost, want := range map[float64]uint64{0.001: 1, 1.001: 2, 1.999: 2, 2: 2} {
		if got, _ := toUnits(cost, 1); got != want {
			t.Errorf("%v are %d units, want %d", cost, got, want)
		}
	}
}

func TestConvertRoundsUp(t *testing.T) {
	a, b := scale{digits: 3}, scale{digits: 1}
	for n, want := range map[uint64]uint64{0: 0, 1: 1, 100: 1, 101: 2, 1100: 11} {
		if got := a.convert(n, &b); got != want {
			t.Errorf("%d became %d, want %d", n, got, want)
		}
	}
	if got := b.convert(7, &a); got != 700 {
		t.Errorf("7 became %d", got)
	}
	if got := b.convert(1<<61, &a); got != 1<<62 {
		t.Errorf("saturated at %d", got)
	}
}

// TestScale: an instant and its inverse belong together, a whole window brings
// exactly the rate, and a unit takes 1 ns or more.
func TestScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Custom(func(t *rapid.T) float64 {
			r, _ := strconv.ParseFloat(fmt.Sprintf("%de%d", rapid.IntRange(1, 1000).Draw(t, "m"), rapid.IntRange(-8, 9).Draw(t, "e")), 64)
			return r
		}).Draw(t, "rate")
		rate = min(rate, maxRate)
		window := time.Duration(rapid.Int64Range(int64(minWindow), int64(maxWindow)).Draw(t, "window"))
		s := newScale(rate, max(rate, 1), window)
		now := rapid.Int64Range(0, math.MaxInt64).Draw(t, "now")
		v := s.at(now)
		if v > uint64(now) {
			t.Fatalf("%d units in %d ns", v, now)
		}
		if back := s.when(v); back > now || s.at(back) != v || back > 0 && s.at(back-1) >= v {
			t.Fatalf("%d is %d units, which is %d", now, v, back)
		}
		if next := s.when(v + 1); next != clock.Never && (next <= now || s.at(next) < v+1) {
			t.Fatalf("%d comes at %d, not after %d", v+1, next, now)
		}
		if s.digits >= 8 { // then the rate is a whole number of units
			start := min(now, math.MaxInt64-int64(window))
			whole, _ := toUnits(rate, s.unit)
			if got := s.at(start+int64(window)) - s.at(start); got < whole || got > whole+1 {
				t.Fatalf("a window from %d brings %d units, the rate is %d", start, got, whole)
			}
		}
	})
	if s := newScale(3, 3, time.Second); s.when(math.MaxUint64) != clock.Never || s.at(-5) != 0 || s.at(math.MinInt64) != 0 {
		t.Error("what never comes, came")
	}
}

// The log keeps no more entries than its page says, however small the costs are,
// and forgets nothing too early.
func TestLogIsBounded(t *testing.T) {
	l, err := NewLog(Config{Algorithm: SlidingLog, Rate: 5})
	if err != nil {
		t.Fatal(err)
	}
	sum, entries := 0.0, 0
	for now := int64(0); now < 1e9; now += 1e5 {
		if l.AllowAt(now, 0.01).OK {
			sum += 0.01
		}
		entries = max(entries, len(l.ring.entries))
	}
	if entries > 6 || sum < 4.99 || sum > 5.001 {
		t.Errorf("%d entries, %v admitted", entries, sum)
	}
}
