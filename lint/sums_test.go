package lint

import (
	"strings"
	"testing"
	"time"
)

// sumsOf is of the one dependency of a policy.
func sumsOf(t *testing.T, text string) Sums {
	t.Helper()
	sums := Check(parse(t, "policy.yaml", File(text))).Sums
	if len(sums) != 1 {
		t.Fatalf("%d dependencies, want one", len(sums))
	}
	return sums[0]
}

func TestWorstTime(t *testing.T) {
	for _, c := range []struct {
		name, text string
		worst, sum float64 // ms, 0 for never
		cutBy      string
		words      string
	}{
		{"one attempt", `timeout: {attempt: 3s}`, 3000, 3000, "", "3s"},
		{"attempts add up", `{timeout: {attempt: 3s}, retry: {attempts: 3, base: 500ms, multiplier: 1}}`, 10000, 10000, "",
			"3 attempts x 3s + 1s of backoff = 10s"},
		{"unless they share a total", `{timeout: {attempt: 3s, total: 5s}, retry: {attempts: 3}}`, 5000, 9300, "timeout.total",
			"3 attempts x 3s + 300ms of backoff = 9.3s, cut to 5s by timeout.total"},
		{"or the caller's deadline", `{timeout: {attempt: 3s, reserve: 200ms}, retry: {attempts: 3}}`, 3800, 9300, "service.deadline",
			"3 attempts x 3s + 300ms of backoff = 9.3s, cut to 3.8s by service.deadline"},
		{"the queue counts for each", `{timeout: {attempt: 1s}, retry: {attempts: 2}, bulkhead: {limit: 1, queue: 1, max_wait: 200ms}}`, 2500, 2500, "",
			"2 attempts x (200ms in the queue + 1s) + 100ms of backoff = 2.5s"},
		{"nothing ends it", `retry: {attempts: 3}`, 0, 0, "", "for ever"},
		{"no overflow", `{timeout: {attempt: 2000000h}, retry: {attempts: 100}}`, 0, 0, "", "for ever"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := sumsOf(t, "service: {deadline: 4s}\ndependencies:\n  d: "+block(c.text)).Time
			value := func(p *float64) float64 {
				if p == nil {
					return 0
				}
				return *p
			}
			if value(got.WorstMs) != c.worst || value(got.SumMs) != c.sum || got.CutBy != c.cutBy {
				t.Errorf("worst %v of %v, cut by %q; want %v of %v, %q", value(got.WorstMs), value(got.SumMs), got.CutBy, c.worst, c.sum, c.cutBy)
			}
			if words := strings.Join(got.Words, "; "); !strings.Contains(words, c.words) {
				t.Errorf("words are %q, want %q", words, c.words)
			}
		})
	}
}

func block(text string) string {
	if strings.HasPrefix(text, "{") {
		return text + "\n"
	}
	return "{" + text + "}\n"
}

// TestFaultThroughput has the published figures: 3 s leave 66.7 requests a
// second, 8 s leave 25, 30 s leave 6.7.
func TestFaultThroughput(t *testing.T) {
	for timeout, want := range map[string]float64{"3s": 66.67, "8s": 25, "30s": 6.67} {
		f := sumsOf(t, "service: {workers: 200}\ndependencies: {platform: {timeout: {attempt: "+timeout+"}}}\n").Fault
		if f.PerS == nil || *f.PerS != want || f.Held != 200 || f.OpensAfterMs != nil {
			t.Errorf("%s: %v", timeout, f)
		}
	}
	f := sumsOf(t, `service: {workers: 200}
dependencies:
  platform:
    timeout: {attempt: 3s}
    breaker: {consecutive: 5}
    bulkhead: {limit: 30, queue: 10, max_wait: 50ms}
`).Fault
	if f.Held != 40 || f.OpensAfterMs == nil || *f.OpensAfterMs != 3000 {
		t.Errorf("guarded: %+v", f)
	}
	words := strings.Join(f.Words, "\n")
	for _, want := range []string{"200 workers / 3.05s = 65.6 requests/s", "it holds 30 and 10 in the queue of 200 workers at most, 160 stay free", "opens when 5 in a row have failed, at the earliest after 3s"} {
		if !strings.Contains(words, want) {
			t.Errorf("no %q in\n%s", want, words)
		}
	}
	f = sumsOf(t, "dependencies: {platform: {timeout: {attempt: 3s}}}\n").Fault
	if f.PerS != nil || f.PerWorkerPerS != 0.3333 || !strings.Contains(f.Words[0], "for each worker") {
		t.Errorf("without the number of workers: %+v", f)
	}
}

func TestBreakerThatNeverOpens(t *testing.T) {
	for _, text := range []string{
		`{timeout: {attempt: 3s}, breaker: {min_calls: 20, window: 1s}, bulkhead: {limit: 5}}`,
		`{timeout: {attempt: 3s}, breaker: {consecutive: 5, dark: true}}`,
		`{breaker: {consecutive: 5}}`,
		`{timeout: {attempt: 3s}}`,
	} {
		f := sumsOf(t, "dependencies:\n  d: "+block(text)).Fault
		if f.OpensAfterMs != nil || !strings.Contains(f.Words[2], "as long as it hangs") {
			t.Errorf("%s: opens after %v: %v", text, f.OpensAfterMs, f.Words)
		}
	}
}

func TestAmplification(t *testing.T) {
	for _, c := range []struct {
		name, text string
		bound      float64
		layers     int64
		words      string
	}{
		{"once", `timeout: {attempt: 1s}`, 1, 1, "x1: no retries"},
		{"no budget", `retry: {attempts: 4}`, 4, 4, "x4 when everything fails: no budget"},
		{"ratio", `{retry: {attempts: 4}, budget: {kind: ratio}}`, 1.15, 4, "grants 3 retries a second once what was saved is spent: x1.15"},
		{"earning", `{retry: {attempts: 4}, budget: {kind: earning}}`, 1.05, 4, "grants 1 retry a second once what was saved is spent: x1.05"},
		{"token", `{retry: {attempts: 4}, budget: {kind: token}}`, 1, 4, "no retry at all: x1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := sumsOf(t, "service: {rates: {d: 20}}\ndependencies:\n  d: "+block(c.text)).Load
			if a.Bound != c.bound || a.Layers != c.layers || !strings.Contains(strings.Join(a.Words, "\n"), c.words) {
				t.Errorf("%+v, want bound %v, %v with layers, %q", a, c.bound, c.layers, c.words)
			}
		})
	}
	deep := sumsOf(t, `layers:
  callers: {a: {wait: 9s, attempts: 3}, b: {wait: 8s, attempts: 3}}
  below: {c: {timeout: 1s, attempts: 3, under: d}, e: {timeout: 1s, attempts: 3, under: d}}
dependencies: {d: {retry: {attempts: 3}}}
`).Load
	if deep.Layers != 243 || !strings.Contains(deep.Words[1], "a 3 x b 3 x d 3 x c 3 x e 3 = 243 tries") {
		t.Errorf("five layers of three tries each: %+v, want 243", deep)
	}
}

func TestUnknown(t *testing.T) {
	paths := func(text string) (all string) {
		for _, u := range Check(parse(t, "policy.yaml", File(text))).Unknown {
			all += u.Path + " "
		}
		return all
	}
	for text, want := range map[string]string{
		"service: {name: x}\n":                    "",
		"dependencies: {d: {class: side_path}}\n": "service.workers service.rates service.deadline ",
		"service: {workers: 1, rates: {d: 1}, deadline: 1s}\ndependencies: {d: {class: side_path}}\n":                       "layers.callers ",
		"service: {workers: 1, rates: {d: 1}}\nlayers: {callers: {u: {wait: 1s}}}\ndependencies: {d: {class: side_path}}\n": "",
	} {
		if got := paths(text); got != want {
			t.Errorf("%q: %q is not known, want %q", text, got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		never: "for ever", 0: "0s", time.Hour: "1h", 90 * time.Second: "1m30s", 36 * time.Hour: "36h",
		1500 * time.Millisecond: "1.5s", 10 * time.Minute: "10m", 416666 * time.Microsecond: "416.67ms",
	} {
		if got := span(d); got != want {
			t.Errorf("%d is %q, want %q", d, got, want)
		}
	}
	if times(3, never/2) != never || plus(never, 1) != never || times(0, time.Second) != 0 || plus(1, 2) != 3 {
		t.Error("sums do not stop at never")
	}
}
