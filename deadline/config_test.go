package deadline

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestValidate(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		name string
		cfg  Config
		want string // the faults, one a line
	}{
		{"zero", Config{}, ""},
		{"all set", Config{Attempt: s, Total: 3 * s, Connect: s / 2, Reserve: s, Useful: s, Max: s}, ""},
		{"attempt equal to total", Config{Attempt: s, Total: s}, ""},
		{"extremes", Config{Attempt: 1, Total: math.MaxInt64, Reserve: math.MaxInt64, Max: 1}, ""},
		{"negative", Config{Attempt: -s, Total: -s, Connect: -s, Reserve: -s, Useful: -s, Max: -s},
			"attempt: must not be negative, is -1s\ntotal: must not be negative, is -1s\n" +
				"connect: must not be negative, is -1s\nreserve: must not be negative, is -1s\n" +
				"useful: must not be negative, is -1s\nmax: must not be negative, is -1s"},
		{"attempt over total", Config{Attempt: 2 * s, Total: s}, "attempt: must not exceed total (1s), is 2s"},
		{"connect fills attempt", Config{Attempt: s, Connect: s}, "connect: must be less than attempt (1s), is 1s"},
		{"connect fills total", Config{Total: s, Connect: s}, "connect: must be less than total (1s), is 1s"},
		{"useful over attempt", Config{Attempt: s, Useful: 2 * s}, "useful: must not exceed attempt (1s), is 2s"},
		{"useful over total", Config{Total: s, Useful: 2 * s}, "useful: must not exceed total (1s), is 2s"},
		{"several at once", Config{Attempt: 2 * s, Total: s, Connect: 3 * s, Useful: 3 * s, Max: -s},
			"max: must not be negative, is -1s\nattempt: must not exceed total (1s), is 2s\n" +
				"connect: must be less than attempt (2s), is 3s\nuseful: must not exceed attempt (2s), is 3s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got string
			if err := c.cfg.Validate(); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got faults\n%s\nwant\n%s", indent(got), indent(c.want))
			}
		})
	}
}

func indent(s string) string { return "\t" + strings.ReplaceAll(s, "\n", "\n\t") }
