package deadline

import (
	"math"
	"math/big"
	"regexp"
	"testing"
	"time"
)

// pair is one header as both sides of Read and Write see it.
type pair struct{ key, value string }

func (p *pair) Get(key string) string {
	if key == p.key {
		return p.value
	}
	return ""
}

func (p *pair) Set(key, value string) { p.key, p.value = key, value }

var (
	plainNumber = regexp.MustCompile(`^[0-9]+$`)
	grpcGrammar = regexp.MustCompile(`^([0-9]{1,8})([HMSmun])$`)
	grpcNanos   = map[string]int64{"H": 3600e9, "M": 60e9, "S": 1e9, "m": 1e6, "u": 1e3, "n": 1}
)

func times(digits string, unit int64) *big.Int {
	n, _ := new(big.Int).SetString(digits, 10)
	return n.Mul(n, big.NewInt(unit))
}

// FuzzRead gives each parser what a peer might send, and compares with a
// regular expression and numbers without limits.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"", "0", "1", "250", "-1", "9223372036854", "9223372036855", "99999999H", "119000m", "1M", "0n", "123456789S", "5 S", "\x00"} {
		f.Add(s, int64(time.Minute))
	}
	longest := big.NewInt(math.MaxInt64)
	f.Fuzz(func(t *testing.T, value string, most int64) {
		limit := time.Duration(most)
		allowed := limit
		if allowed <= 0 {
			allowed = DefaultMax
		}
		check := func(header string, want *big.Int) {
			t.Helper()
			got, ok, err := Read(&pair{header, value}, limit)
			switch {
			case value == "":
				if ok || err != nil {
					t.Fatalf("%s: absent, but got %v, %v", header, got, err)
				}
			case want == nil:
				if ok || got != 0 || err == nil || len(err.Error()) > 400 {
					t.Fatalf("%s: %q: got %v, %v, %v; want it ignored and reported, briefly", header, value, got, ok, err)
				}
			default:
				if want.Cmp(big.NewInt(int64(allowed))) > 0 {
					want = big.NewInt(int64(allowed))
				}
				if !ok || err != nil || int64(got) != want.Int64() {
					t.Fatalf("%s: %q: got %v, %v, %v, want %v", header, value, got, ok, err, want)
				}
			}
		}

		var want *big.Int
		if plainNumber.MatchString(value) {
			if d := times(value, 1e6); d.Sign() > 0 && d.Cmp(longest) <= 0 {
				want = d
			}
		}
		check(HeaderTimeout, want)

		want = nil
		if m := grpcGrammar.FindStringSubmatch(value); m != nil {
			want = times(m[1], grpcNanos[m[2]])
		}
		check(HeaderGRPCTimeout, want)

		n, ok, err := ReadAttempt(&pair{HeaderAttempt, value})
		if n < 1 || n > MaxAttempts || ok && err != nil || !ok && n != 1 || !ok && value != "" && err == nil {
			t.Fatalf("attempt: %q: got %d, %v, %v", value, n, ok, err)
		}
	})
}

// FuzzRoundTrip: what arrives is never more than was sent, and not much less.
func FuzzRoundTrip(f *testing.F) {
	for _, d := range []int64{0, 1, -1, 999_999, 1_000_000, 119e9, 99_999_999, 100_000_000, math.MaxInt64, math.MaxInt64 - 1, math.MinInt64} {
		f.Add(d)
	}
	f.Fuzz(func(t *testing.T, n int64) {
		sent := time.Duration(n)
		var p pair
		Write(&p, sent)
		if p.key == "" {
			if sent != math.MaxInt64 {
				t.Fatalf("%v: nothing sent", sent)
			}
		} else {
			got, ok, err := Read(&p, math.MaxInt64)
			if !ok || err != nil || got > max(sent, msec) || sent-got >= msec && sent > 0 {
				t.Fatalf("sent %v as %q, got %v, %v, %v", sent, p.value, got, ok, err)
			}
		}

		value := FormatGRPC(sent)
		if !grpcGrammar.MatchString(value) {
			t.Fatalf("%v became %q", sent, value)
		}
		got, err := ParseGRPC(value)
		// Units are at most a factor of 1000 apart, so five digits at least remain.
		if err != nil || got > max(sent, 1) || got < sent-sent/100_000 {
			t.Fatalf("sent %v as %q, got %v, %v", sent, value, got, err)
		}
	})
}
