package deadline

import (
	"math"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name        string
		envoy, grpc string
		limit       time.Duration
		want        time.Duration
		ok          bool
		err         string
	}{
		{"neither", "", "", 0, 0, false, ""},
		{"envoy", "250", "", 0, 250 * msec, true, ""},
		{"grpc", "", "250m", 0, 250 * msec, true, ""},
		{"envoy is smaller", "250", "1S", 0, 250 * msec, true, ""},
		{"grpc is smaller", "2000", "1S", 0, time.Second, true, ""},
		{"the default limit", "3600000", "", 0, DefaultMax, true, ""},
		{"a negative limit is the default", "3600000", "", -1, DefaultMax, true, ""},
		{"a limit", "3600000", "2H", time.Second, time.Second, true, ""},
		{"far too much", "", "99999999H", 0, DefaultMax, true, ""},
		{"no time left", "", "0n", 0, 0, true, ""},
		{"one good, one bad", "x", "1S", 0, time.Second, true,
			`X-Envoy-Expected-Rq-Timeout-Ms: "x" is not a positive whole number of milliseconds`},
		{"both bad", "-5", "5", 0, 0, false,
			`X-Envoy-Expected-Rq-Timeout-Ms: "-5" is not a positive whole number of milliseconds` + "\n" +
				`Grpc-Timeout: "5" is not 1 to 8 digits and a unit (H M S m u n)`},
		{"zero may mean no limit", "0", "", 0, 0, false,
			`X-Envoy-Expected-Rq-Timeout-Ms: "0" is not a positive whole number of milliseconds`},
		{"control characters and length", strings.Repeat("1\n", 40), "", 0, 0, false,
			`X-Envoy-Expected-Rq-Timeout-Ms: "1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n"... (80 bytes) is not a positive whole number of milliseconds`},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := http.Header{}
			if c.envoy != "" {
				h.Set("x-envoy-expected-rq-timeout-ms", c.envoy)
			}
			if c.grpc != "" {
				h.Set("grpc-timeout", c.grpc)
			}
			got, ok, err := Read(h, c.limit)
			if got != c.want || ok != c.ok || text(err) != c.err {
				t.Errorf("got %v, %v, %q\nwant %v, %v, %q", got, ok, text(err), c.want, c.ok, c.err)
			}
		})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestMalformedMilliseconds(t *testing.T) {
	for _, s := range []string{"+5", "-5", " 5", "5 ", "5ms", "1.5", "1e3", "0x5", "1_000", "٣", "00",
		"9223372036855", "18446744073709551616", "99999999999999999999999"} {
		if d, err := parseMillis(s); err == nil {
			t.Errorf("%q was taken as %v", s, d)
		}
	}
	if d, err := parseMillis("9223372036854"); err != nil || d != 9223372036854*msec {
		t.Errorf("the longest: got %v, %v", d, err)
	}
}

func TestParseGRPC(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"1n": 1, "2u": 2 * time.Microsecond, "3m": 3 * msec, "4S": 4 * time.Second,
		"5M": 5 * time.Minute, "6H": 6 * time.Hour, "00000007S": 7 * time.Second, "0S": 0,
		"99999999n": 99_999_999, "99999999M": 99_999_999 * time.Minute,
		"2562047H": 2562047 * time.Hour, "2562048H": math.MaxInt64,
	} {
		if got, err := ParseGRPC(s); err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v", s, got, err, want)
		}
	}
	for _, s := range []string{"", "S", "5", "-5S", "+5S", " 5S", "5S ", "5s", "5h", "5x", "1.5S", "123456789n", "5SS", "٣S"} {
		if d, err := ParseGRPC(s); err == nil {
			t.Errorf("%q was taken as %v", s, d)
		}
	}
}

func TestFormatGRPC(t *testing.T) {
	for d, want := range map[time.Duration]string{
		1: "1n", 99_999_999: "99999999n", 100_000_000: "100000u", 100_000_999: "100000u",
		time.Second: "1000000u", 99_999_999_999: "99999999u", 100 * time.Second: "100000m",
		30 * time.Hour: "108000S", 99_999_999 * time.Second: "99999999S", 100_000_000 * time.Second: "1666666M",
		math.MaxInt64: "2562047H", 0: "1n", -time.Second: "1n",
	} {
		if got := FormatGRPC(d); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
}

func TestWrite(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Second: "1000", 1999 * time.Microsecond: "1", 999 * time.Microsecond: "1", 0: "1", -time.Second: "1",
		math.MaxInt64 - 1: "9223372036854", math.MaxInt64: "",
	} {
		h := http.Header{}
		Write(h, d)
		if got := h.Get(HeaderTimeout); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}

func TestAttempts(t *testing.T) {
	for _, c := range []struct {
		value string
		want  int
		ok    bool
		err   string
	}{
		{"", 1, false, ""},
		{"1", 1, true, ""},
		{"7", 7, true, ""},
		{"1000", 1000, true, ""},
		{"1001", MaxAttempts, true, ""},
		{"9223372036854775807", MaxAttempts, true, ""},
		{"9223372036854775808", 1, false, `X-Envoy-Attempt-Count: "9223372036854775808" is not a positive whole number`},
		{"0", 1, false, `X-Envoy-Attempt-Count: "0" is not a positive whole number`},
		{"-1", 1, false, `X-Envoy-Attempt-Count: "-1" is not a positive whole number`},
		{"two", 1, false, `X-Envoy-Attempt-Count: "two" is not a positive whole number`},
	} {
		h := http.Header{}
		if c.value != "" {
			h.Set("x-envoy-attempt-count", c.value)
		}
		if n, ok, err := ReadAttempt(h); n != c.want || ok != c.ok || text(err) != c.err {
			t.Errorf("%q: got %d, %v, %q, want %d, %v, %q", c.value, n, ok, text(err), c.want, c.ok, c.err)
		}
	}
	for n, want := range map[int]string{-1: "1", 0: "1", 1: "1", 3: "3"} {
		h := http.Header{}
		WriteAttempt(h, n)
		if got := h.Get(HeaderAttempt); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

// The names must be canonical, or each use would pay for making them so.
func TestHeadersAreCanonical(t *testing.T) {
	for _, name := range []string{HeaderTimeout, HeaderGRPCTimeout, HeaderAttempt} {
		if want := http.CanonicalHeaderKey(name); name != want {
			t.Errorf("%s, want %s", name, want)
		}
	}
}

func TestReadAllocatesNothing(t *testing.T) {
	h := http.Header{HeaderTimeout: {"250"}, HeaderGRPCTimeout: {"1S"}, HeaderAttempt: {"2"}}
	got := testing.AllocsPerRun(100, func() {
		if d, _, _ := Read(h, 0); d != 250*msec {
			t.Error(d)
		}
		if n, _, _ := ReadAttempt(h); n != 2 {
			t.Error(n)
		}
	})
	if got != 0 {
		t.Errorf("%v allocations", got)
	}
}

func BenchmarkRead(b *testing.B) {
	h := http.Header{HeaderTimeout: {"250"}}
	b.ReportAllocs()
	for b.Loop() {
		Read(h, 0)
	}
}
