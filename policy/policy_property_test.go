package policy

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// some are keys of each section, with values that get along with each other and
// with every class.
var some = map[string][]string{
	"timeout":  {"attempt: 100ms", "total: 5s", "connect: 10ms", "reserve: 0s", "useful: 1ms", "max: 3m"},
	"retry":    {"attempts: 4", "attempts: 0", "base: 1ms", "cap: 30s", "jitter: none", "jitter: decorrelated", "retry_after_cap: 1m"},
	"budget":   {"kind: earning", "kind: ratio", "kind: none", "kind: token"},
	"breaker":  {"window: 3s", "failure_ratio: 10%", "slow_call: 1s", "consecutive: 9", "cooldown: 30s", "cooldown_factor: 1.5", "cooldown_jitter: 0", "probes: 1", "trickle: off", "trickle: {first: 1s}", "ramp: 0s", "ramp: 1m", "counts: call", "dark: true"},
	"rate":     {"rate: 5", "rate: 0.5", "burst: 3", "window: 1m", "algorithm: sliding_counter"},
	"bulkhead": {"limit: 3", "queue: 0", "order: lifo", "linger: 0s", "linger: 1s"},
	"fallback": {"timeout: 1ms", "concurrent: 3", "last_good: {}", "last_good: {max_age: 1m, private: true}", "static: {body: '{}', status: 203}", "static: {body: \"$$ # :\"}"},
}

// Any policy, shown with every default, means what it meant.
func TestShownMeansTheSame(t *testing.T) {
	drawn, read := 0, 0
	defer func() { mostly(t, drawn, read) }()
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		var b strings.Builder
		b.WriteString("version: 1\ndependencies:\n")
		for i := range rapid.IntRange(1, 3).Draw(t, "dependencies") {
			fmt.Fprintf(&b, "  d%d:\n    p99: %s\n", i, rapid.SampledFrom([]string{"40ms", "1ms", "2s"}).Draw(t, "p99"))
			class := rapid.SampledFrom([]string{"", "standard", "core_read", "core_write", "optional_read", "side_path"}).Draw(t, "class")
			if class != "" {
				fmt.Fprintf(&b, "    class: %s\n", class)
			}
			for _, section := range []string{"timeout", "retry", "budget", "breaker", "rate", "bulkhead", "fallback"} {
				switch rapid.SampledFrom([]string{"", "off", "null", "keys", "keys"}).Draw(t, section) {
				case "off":
					fmt.Fprintf(&b, "    %s: off\n", section)
				case "null":
					fmt.Fprintf(&b, "    %s: null\n", section)
				case "keys":
					keys := rapid.SliceOfNDistinct(rapid.SampledFrom(some[section]), 1, 4,
						func(s string) string { return s[:strings.Index(s, ":")] }).Draw(t, "keys")
					fmt.Fprintf(&b, "    %s: {%s}\n", section, strings.Join(keys, ", "))
				}
			}
		}
		p, err := Parse("p", []byte(b.String()))
		if err != nil {
			return // it has a contradiction, such as an attempt that is longer than the whole
		}
		read++
		sameShown(t, p)
		first, err := p.Build(nil)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse("p", p.YAML())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := again.Build(first); err != nil {
			t.Fatal(err)
		}
	})
}

// What is laid over a file key by key is what it would be if it were written in
// one file.
func TestIncludedIsAsWritten(t *testing.T) {
	drawn, read := 0, 0
	defer func() { mostly(t, drawn, read) }()
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		section := rapid.SampledFrom([]string{"retry", "breaker", "fallback"}).Draw(t, "section")
		keys := rapid.SliceOfNDistinct(rapid.SampledFrom(some[section]), 2, 5,
			func(s string) string { return s[:strings.Index(s, ":")] }).Draw(t, "keys")
		cut := rapid.IntRange(1, len(keys)-1).Draw(t, "cut")
		file := func(keys []string) string {
			return fmt.Sprintf("version: 1\ndependencies: {a: {class: optional_read, %s: {%s}}}\n", section, strings.Join(keys, ", "))
		}
		whole, err := Parse("p", []byte(file(keys)))
		if err != nil {
			return
		}
		read++
		parts, err := Parse("p", []byte("include: [base]\n"+file(keys[cut:])),
			WithFiles(func(string) ([]byte, error) { return []byte(file(keys[:cut])), nil }))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := parts.show().json(nil), whole.show().json(nil); string(got) != string(want) {
			t.Errorf("in two files\n%s\nin one\n%s", got, want)
		}
	})
}

// mostly keeps a property from being about nothing.
func mostly(t *testing.T, drawn, read int) {
	if read*3 < drawn {
		t.Errorf("only %d of %d policies that were drawn are without a fault", read, drawn)
	}
}
