package policy

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch"
)

// afex/hystrix-go fixed the number of concurrent calls at the first use of a
// command; configuring it again later did nothing. (Its successors rebuild
// everything, and an open breaker is closed by a change of another line.)
func TestReloadChangesWhatChangedAndKeepsTheRest(t *testing.T) {
	const text = `version: 1
dependencies:
  broken: {breaker: {consecutive: 1}}
  busy: {bulkhead: {limit: 1}}
`
	first := build(t, nil, text)
	_, _ = stanch.Do(t.Context(), get(t, first, "broken"), func(context.Context) (int, error) { return 0, errors.New("down") })
	second := build(t, first, strings.Replace(text, "limit: 1", "limit: 2", 1))
	_, err := stanch.Do(t.Context(), get(t, second, "broken"), func(context.Context) (int, error) { return 0, nil })
	if !errors.Is(err, stanch.ErrBreakerOpen) {
		t.Errorf("the breaker forgot that it is open: %v", err)
	}
	busy := get(t, second, "busy")
	_, err = stanch.Do(t.Context(), busy, func(ctx context.Context) (int, error) {
		return stanch.Do(context.WithoutCancel(t.Context()), busy, func(context.Context) (int, error) { return 0, nil })
	})
	if err != nil {
		t.Errorf("the limit is still the old one: %v", err)
	}
}

// Envoy ignores a per-try timeout at or above that of the route without a word,
// and Sentinel drops rules that are not valid with a warning in its log: both
// run with less protection than was written down. Here nothing faulty is run.
func TestFaultySettingsAreNotDropped(t *testing.T) {
	p, err := Parse("p", []byte("version: 1\ndependencies:\n  a: {timeout: {attempt: 3s, total: 1s}}\n  b: {class: side_path}\n"))
	if err == nil || !strings.Contains(err.Error(), "attempt: must not exceed total (1s), is 3s") {
		t.Error(err)
	}
	if len(p.Dependencies) != 0 {
		t.Error("the rest would run")
	}
}

// envsubst and templates put text into a file before it is read, so that a
// variable with a newline or a brace in it changes what the file says.
func TestVariablesBringNoStructure(t *testing.T) {
	for _, value := range []string{"x\nworkers: 9", "x}", "[1]", "{a: b}", "*a", "&a x", "# comment", "null", "~", "!!int 3", "'"} {
		p, err := Parse("p", []byte("version: 1\nservice: {name: \"${X}\"}\n"), WithEnv(func(string) (string, bool) { return value, true }))
		if err != nil || p.Service.Name != value || p.Service.Workers != 0 {
			t.Errorf("%q became %+v: %v", value, p.Service, err)
			continue
		}
		sameShown(t, p)
	}
}

// Docker Compose once expanded variables in keys and in what variables had in
// them, so that a password with a dollar was cut short.
func TestNothingIsExpandedTwice(t *testing.T) {
	p, err := Parse("p", []byte("version: 1\nservice: {name: \"${A}\"}\n"), WithEnv(func(name string) (string, bool) {
		return map[string]string{"A": "pa$$word${B}", "B": "secret"}[name], true
	}))
	if err != nil || p.Service.Name != "pa$$word${B}" {
		t.Errorf("%q: %v", p.Service.Name, err)
	}
	sameShown(t, p)
}

// A program that reads its configuration from a named pipe or a device waits, or
// fills its memory, and with it hangs the reload of everything else.
func TestOnlyRegularFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.yaml")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 1<<40); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{os.DevNull: "no regular file", large: "is larger than 1MiB", dir: "no regular file"} {
		begin := time.Now()
		if _, err := Load(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", file, err)
		}
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("%s took %v", file, took)
		}
	}
}

// Two files that include two others each, and so on, are a thousand readings of
// the last one after ten steps unless each is read once.
func TestIncludesDoNotMultiply(t *testing.T) {
	reads := 0
	p, err := Parse("0", []byte("version: 1\ninclude: [a1, b1]\n"), WithFiles(func(path string) ([]byte, error) {
		reads++
		step := path[1:]
		next := map[string]string{"1": "2", "2": "3", "3": "4", "4": "5", "5": "6", "6": "7", "7": "8", "8": "9"}[step]
		if next == "" {
			return []byte("version: 1\nservice: {name: end}\n"), nil
		}
		return []byte("version: 1\ninclude: [a" + next + ", b" + next + "]\n"), nil
	}))
	if err != nil || p.Service.Name != "end" || reads != 18 {
		t.Errorf("%d reads, %q: %v", reads, p.Service.Name, err)
	}
}

// A value that a hundred references make large is refused before it is.
func TestVariablesDoNotMultiply(t *testing.T) {
	text := "version: 1\nservice:\n  name: \"" + strings.Repeat("${X}", 10_000) + "\"\n"
	_, err := Parse("p", []byte(text), WithEnv(func(string) (string, bool) { return strings.Repeat("x", 100_000), true }))
	if err == nil || !strings.Contains(err.Error(), "larger than 1MiB") {
		t.Error(err)
	}
	text = "version: 1\nallow:\n" + strings.Repeat("- {check: \"${X}\", reason: \"${X}\"}\n", 100)
	_, err = Parse("p", []byte(text), WithEnv(func(string) (string, bool) { return strings.Repeat("x", 100_000), true }))
	if err == nil || !strings.Contains(err.Error(), "larger than 1MiB in all") {
		t.Error(err)
	}
}

// A password in a URL is neither accepted nor told on.
func TestCredentialsAreNotPrinted(t *testing.T) {
	for _, url := range []string{"http://user:secret@shop", "ftp://user:secret@shop", "//user:secret@shop", "http://user:secret@shop:99999", "http://secret@ shop"} {
		_, err := Parse("p", []byte("version: 1\ndependencies: {a: {url: \"${X}\"}}\n"), WithEnv(func(string) (string, bool) { return url, true }))
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", url, err)
		}
	}
}
