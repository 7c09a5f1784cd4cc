package sim

import (
	"strings"
	"testing"
)

// made is a result to expect something of.
func made() *Result {
	variant := func(name string) VariantResult {
		return VariantResult{
			Name: name,
			Metrics: Metrics{
				Requests: 100, OK: 60, Failed: 7, Refused: map[string]int64{QueueFull: 3},
				LatencyMs: Quantiles{P50: 12.5}, CompletedPerS: []int64{0, 0, 9, 0, 20}, OKPerS: []int64{},
				FirstSuccessAfterRecoveryMs: new(-1.0), FullRateAfterRecoveryMs: new(30.0),
			},
			Dependencies: map[string]DependencyResult{"db": {
				Calls: 5, PeakInFlight: 2,
				Windows: WindowsResult{Counts: []int64{1, 2}}, Transitions: []Transition{{0.5, "closed", "open"}},
			}},
			Classes: map[string]Metrics{"users": {OK: 50, Refused: map[string]int64{}}},
		}
	}
	other := variant("other")
	other.Metrics.OK = 66
	return &Result{Variants: []VariantResult{variant("one"), other, variant("50 %, half: a <= b ~ c")}}
}

func TestExpectations(t *testing.T) {
	r := made()
	for _, c := range []struct {
		text   string
		holds  bool
		figure float64
	}{
		{"one: ok == 60", true, 60},
		{"one:ok==60", true, 60},
		{"  one :  ok   ==  60.0  ", true, 60},
		{"one: ok != 60", false, 60},
		{"one: ok < 60", false, 60},
		{"one: ok <= 60", true, 60},
		{"one: ok > 60", false, 60},
		{"one: ok >= 60", true, 60},
		{"one: ok >= 6e1", true, 60},

		{"one: ok ~ 66", true, 60},
		{"one: ok ~ 67", false, 60},
		{"one: ok ~ 55", true, 60},
		{"one: ok ~ 54", false, 60},
		{"one: ok ~ 63 within 5%", true, 60},
		{"one: ok ~ 64 within 5 %", false, 60},
		{"one: ok ~ 59.9 within 0%", false, 60},
		{"one: ok ~ -60", false, 60},
		{"one: degraded ~ 0", true, 0},

		{"one: latency_ms.p50 == 12.5", true, 12.5},
		{"one: refused.queue_full == 3", true, 3},
		{"one: refused.breaker_open == 0", true, 0},
		{"one: hung == 0", true, 0},
		{"one: classes.users.ok == 50", true, 50},
		{"one: classes.users.hung == 0", true, 0},
		{"one: dependencies.db.calls == 5", true, 5},
		{"one: dependencies.db.windows.counts[1] == 2", true, 2},

		{"one: completed_per_s[2] == 9", true, 9},
		{"one: completed_per_s[0..1] == 0", true, 0},
		{"one: completed_per_s[0..3] == 0", false, 9},
		{"one: completed_per_s[2..4] > 0", false, 0},
		{"one: completed_per_s[5] == 0", true, 0},
		{"one: completed_per_s[4..9] <= 20", true, 20},
		{"one: mean completed_per_s[0..4] == 5.8", true, 5.8},
		{"one: sum completed_per_s[0..4] == 29", true, 29},
		{"one: min completed_per_s[2..4] == 0", true, 0},
		{"one: max completed_per_s[0..9] == 20", true, 20},
		{"one: mean ok == 60", true, 60},
		{"one: min ok_per_s[0..1] == 0", true, 0},

		{"one: ok < other: ok", true, 60},
		{"other: ok ~ one: ok", true, 66},
		{"one: ok ~ other: ok within 5%", false, 60},
		{"one: ok == other: max completed_per_s[0..4]", false, 60},
		{"one: completed_per_s[0..4] <= other: max completed_per_s[0..4]", true, 0},

		{"50 %, half: a <= b ~ c: ok == 60", true, 60},
		{"one: ok == 50 %, half: a <= b ~ c: ok", true, 60},
		{"50 %, half: a <= b ~ c: ok ~ 50 %, half: a <= b ~ c: ok within 1%", true, 60},

		{"one: dependencies.db.transitions[0].t_s == 0.5", true, 0.5},
		{"one: dependencies.db.transitions[0].t_s <= 1", true, 0.5},
		{"one: dependencies.db.transitions[1].t_s <= 1", false, -1},
		{"one: dependencies.db.transitions[1].t_s == -1", true, -1},
	} {
		e, err := ParseExpected(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := e.check(r); got.Holds != c.holds || got.Figure != c.figure || got.Text != strings.TrimSpace(c.text) {
			t.Errorf("%q: got %+v, want %v with %v", c.text, got, c.holds, c.figure)
		}
	}
}

func TestNoExpectation(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "is not an expectation",
		"ok == 1":                        "is not an expectation",
		"one: ok":                        "is not an expectation",
		"one: ok ==":                     "is not an expectation",
		"one: == 1":                      "is not an expectation",
		": ok == 1":                      "is not an expectation",
		"one: ok = 1":                    "is not an expectation",
		"one: ok == 1 2":                 `"1 2" is neither a number nor a figure`,
		"one: ok == 1 within 5%":         "operator ~ only",
		"one: ok ~ 1 within 5":           `"1 within 5" is neither`,
		"one: ok ~ 1 within -5%":         `"-5" is not a percentage`,
		"one: ok ~ 1 within NaN%":        `"NaN" is not a percentage`,
		"one: ok ~ 1 within 1.2.3%":      `"1.2.3" is not a percentage`,
		"one: ok == NaN":                 "no number",
		"one: ok <= +Inf":                "no number",
		"one: ok == 1e999":               "neither",
		"one: ok == two: ok_per_s[0..1]": "many numbers",
	} {
		if e, err := ParseExpected(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %+v, %v; want an error with %q", text, e, err, want)
		}
	}
}

func TestFigure(t *testing.T) {
	r := made()
	if x, err := r.Figure("one", "dependencies.db.peak_in_flight"); x != 2 || err != nil {
		t.Error(x, err)
	}
	if x, err := r.Figure("one", "completed_per_s[2..4]"); x != 9 || err != nil {
		t.Error(x, err)
	}
	for _, c := range []struct{ variant, path, want string }{
		{"no", "ok", `no variant "no"`},
		{"one", "", `no figure ""`},
		{"one", "okay", "a variant has amplification"},
		{"one", "name", "no figure"},
		{"one", "latency_ms", "is not a number"},
		{"one", "latency_ms.p50.x", "no figure"},
		{"one", "ok[0]", "is not a list"},
		{"one", "completed_per_s", "is not a number"},
		{"one", "completed_per_s[1", "no figure"},
		{"one", "completed_per_s[-1]", "no figure"},
		{"one", "completed_per_s[3..1]", "a range"},
		{"one", "completed_per_s[99999999999999999999]", "a range"},
		{"one", "dependencies.db2.calls", `"dependencies" has db`},
		{"one", "dependencies.hung", "no figure"},
		{"one", "classes.users.refused.queue_ful", "has breaker_open"},
	} {
		if x, err := r.Figure(c.variant, c.path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %s: got %v, %v; want an error with %q", c.path, c.variant, x, err, c.want)
		}
	}
}
