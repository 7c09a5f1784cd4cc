package strict_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/strict"
)

// A YAML library that sees an int64 in time.Duration reads "timeout: 3" as
// three nanoseconds, and every call times out.
func TestDurationWithoutUnitIsNotNanoseconds(t *testing.T) {
	if got, faults := decode[time.Duration](t, "3"); got != 0 || faults != "f:1:4: v: needs a unit, is 3; e.g. 3s or 3ms" {
		t.Errorf("got %v, %s", got, faults)
	}
	if got, faults := decode[time.Duration](t, "0"); got != 0 || faults != "" {
		t.Errorf("0 has no unit to forget: %v, %s", got, faults)
	}
}

// YAML 1.1 reads no, off, y as booleans (so that Norway becomes false), 010 as
// 8, 1_0 as 10 and 1:30 as 90.
func TestNothingOfYAML11IsGuessed(t *testing.T) {
	for _, text := range []string{"no", "off", "y", "True", "TRUE"} {
		if got, faults := decode[bool](t, text); got || faults == "" {
			t.Errorf("%s is the boolean %v", text, got)
		}
		if got, faults := decode[string](t, text); got != text || faults != "" {
			t.Errorf("%s is the text %q, %s", text, got, faults)
		}
	}
	for _, text := range []string{"010", "0o10", "1_0", "0x10", "0b1", "1:30"} {
		if got, faults := decode[int](t, text); faults == "" {
			t.Errorf("%s is the number %d", text, got)
		}
	}
	// A version is a text, also when it looks like a number.
	if got, faults := decode[string](t, "1.10"); got != "1.10" || faults != "" {
		t.Errorf("1.10 became %q, %s", got, faults)
	}
}

// A breaker of a Go peer took its percentage by truncating a float, so that 57
// of 100 calls were less than 57 %.
func TestPercentIsTheNearestFloat(t *testing.T) {
	for percent := range 101 {
		text := strconv.Itoa(percent)
		got, faults := decode[float64](t, text+"%")
		if want := float64(percent) / 100; got != want || faults != "" {
			t.Errorf("%d%% is %v, %s", percent, got, faults)
		}
	}
}

// Decoders that take the last of two equal keys let the second block of a long
// file disable the first in silence.
func TestDuplicateKeyIsAFault(t *testing.T) {
	_, err := strict.Parse("f", []byte("a: {x: 1}\nb: 2\na: {y: 1}\na: 3\n"))
	want := "f:3:1: a: duplicate key, first given in line 1\nf:4:1: a: duplicate key, first given in line 1"
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

// "Billion laughs" took down the Kubernetes API server (CVE-2019-11253): a few
// hundred bytes that expand to gigabytes.
func TestAliasesAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("a: &a [1,1,1,1,1,1,1,1,1,1]\n")
	for i := range 20 {
		name, of := string(rune('b'+i)), string(rune('a'+i))
		b.WriteString(name + ": &" + name + " [" + strings.Repeat("*"+of+",", 9) + "*" + of + "]\n")
	}
	_, err := strict.Parse("f", []byte(b.String()))
	if err == nil || !strings.Contains(err.Error(), "values, aliases expanded") {
		t.Errorf("got %v", err)
	}
}

// gopkg.in/yaml.v3 before 3.0.1 crashed on this input (CVE-2022-28948).
func TestInvalidInputDoesNotCrash(t *testing.T) {
	for _, text := range []string{"0: [:!00 \xef", "&a *a: 1", "*a", "? *a : b", "a: &a\n- *a", "\x00", "%", "a: 1\rb: 2", "a: 1 # \u2028b: 2", "---\n...\n---", "!!map a", "'"} {
		if _, err := strict.Parse("f", []byte(text)); err == nil {
			t.Errorf("%q is no fault", text)
		}
	}
}

// A key that no struct has was dropped, and the protection it was to configure
// with it.
func TestUnknownKeyInAVariantIsFound(t *testing.T) {
	base := parse(t, "f", "timeout: {attempt: 1s, total: 2s}")
	for _, over := range []string{"timeuot: null", "timeout: {atempt: null}", "timeout: {atempt: 3s}"} {
		var d dependency
		if faults := strict.Decode(strict.Merge(base, parse(t, "v", over)), &d); len(faults) != 1 {
			t.Errorf("%s: %v", over, faults)
		}
	}
}
