package report

import (
	"slices"
	"testing"
)

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 7: "7", 62802: "62802", 4012.3: "4012", 99.72: "99.7", 5.04: "5.04", 0.27: "0.27", 0.003: "0.003", -1: "-1",
	} {
		if got := number(x); got != want {
			t.Errorf("number(%v) = %s, want %s", x, got, want)
		}
	}
	if got := orNever(-1); got != "never" {
		t.Error(got)
	}
}

// A rush beyond three times the usual rate of ok is cut, others set the scale.
func TestScaleTop(t *testing.T) {
	usual := slices.Repeat([]float64{0, 90, 100}, 20)
	for _, c := range []struct {
		rates   []float64
		highest float64
		top     float64
		cut     bool
	}{
		{usual, 300, 300, false},
		{usual, 301, 120, true},
		{append(usual, 900), 900, 120, true},
		{nil, 500, 500, false},
		{make([]float64, 9), 500, 500, false},
	} {
		if top, cut := scaleTop(c.rates, c.highest); top != c.top || cut != c.cut {
			t.Errorf("scaleTop(%d rates, %v) = %v, %v; want %v, %v", len(c.rates), c.highest, top, cut, c.top, c.cut)
		}
	}
}
