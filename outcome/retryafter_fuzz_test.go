package outcome_test

import (
	"math"
	"math/big"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/outcome"
)

var digits = regexp.MustCompile(`^[0-9]+$`)

// FuzzRetryAfter reads seconds with arbitrary precision and dates with net/http,
// which is more liberal with their zones.
func FuzzRetryAfter(f *testing.F) {
	for _, h := range []string{
		"", "0", "9223372036", "9223372037", "18446744074", "1e3", "-1", "  42 ",
		"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
	} {
		f.Add(h, int64(784111777))
	}
	f.Fuzz(func(t *testing.T, h string, unix int64) {
		now := time.Unix(unix%(1<<40), 0)
		d, ok := outcome.RetryAfter(h, now)
		if d < 0 || !ok && d != 0 {
			t.Fatalf("RetryAfter(%q) = %v, %v", h, d, ok)
		}
		trimmed := strings.Trim(h, " \t")
		if digits.MatchString(trimmed) {
			n, _ := new(big.Int).SetString(trimmed, 10)
			n.Mul(n, big.NewInt(int64(time.Second)))
			want := time.Duration(math.MaxInt64)
			if n.IsInt64() {
				want = time.Duration(n.Int64())
			}
			if !ok || d != want {
				t.Fatalf("RetryAfter(%q) = %v, %v, want %v", h, d, ok, want)
			}
			return
		}
		at, err := http.ParseTime(trimmed)
		if ok && err != nil {
			t.Fatalf("RetryAfter(%q) = %v, which is no HTTP date: %v", h, d, err)
		}
		if err == nil && strings.HasSuffix(trimmed, " GMT") && !ok {
			t.Fatalf("RetryAfter(%q) does not see the date %v", h, at)
		}
		if ok && d != max(at.Sub(now), 0) {
			t.Fatalf("RetryAfter(%q) = %v, want %v", h, d, at.Sub(now))
		}
	})
}
