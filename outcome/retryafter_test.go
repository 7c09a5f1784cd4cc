package outcome_test

import (
	"math"
	"testing"
	"time"

	"github.com/stanch-go/stanch/outcome"
)

var sunday = time.Date(1994, time.November, 6, 8, 49, 37, 0, time.UTC)

func TestRetryAfter(t *testing.T) {
	now := sunday.Add(-time.Minute)
	for _, c := range []struct {
		header string
		want   time.Duration
		ok     bool
	}{
		{"0", 0, true},
		{"120", 2 * time.Minute, true},
		{" 3\t", 3 * time.Second, true},
		{"007", 7 * time.Second, true},
		{"9223372036", 9223372036 * time.Second, true}, // the last that fits
		{"9223372037", math.MaxInt64, true},
		{"18446744074", math.MaxInt64, true},
		{"999999999999999999999999999999999999999999", math.MaxInt64, true},

		{"Sun, 06 Nov 1994 08:49:37 GMT", time.Minute, true},
		{"Sunday, 06-Nov-94 08:49:37 GMT", time.Minute, true},
		{"Sun Nov  6 08:49:37 1994", time.Minute, true},
		{"Sun, 06 Nov 1994 08:48:37 GMT", 0, true}, // now
		{"Sun, 06 Nov 1974 08:49:37 GMT", 0, true}, // past
		{"Fri, 31 Dec 9999 23:59:59 GMT", math.MaxInt64, true},

		{"", 0, false},
		{"  ", 0, false},
		{"-1", 0, false},
		{"+1", 0, false},
		{"1.5", 0, false},
		{"1e3", 0, false},
		{"0x10", 0, false},
		{"1_000", 0, false},
		{"1 2", 0, false},
		{"١", 0, false}, // a digit, but not an ASCII one
		{"3s", 0, false},
		{"soon", 0, false},
		{"Sun, 06 Nov 1994 08:49:37 EST", 0, false},
		{"1994-11-06T08:49:37Z", 0, false},
	} {
		d, ok := outcome.RetryAfter(c.header, now)
		if d != c.want || ok != c.ok {
			t.Errorf("RetryAfter(%q) = %v, %v, want %v, %v", c.header, d, ok, c.want, c.ok)
		}
	}
}
