package house

import "testing"

// An exceptions list maps a file to the reason why a rule does not bind it.
type exceptions map[string]string

// check fails for entries that the rule did not need, so that the lists shrink
// when their reasons go.
func (e exceptions) check(t *testing.T, used map[string]bool) {
	t.Helper()
	for file, reason := range e {
		if !used[file] {
			t.Errorf("%s is no longer an exception (%s): take it off the list", file, reason)
		}
	}
}

var (
	// longFiles may have more than maxLines lines.
	longFiles = exceptions{}

	// sleepers may call time.Sleep outside the body of synctest.Test.
	sleepers = exceptions{
		"call_property_test.go":             "what sleeps is played in a bubble only",
		"call_stress_test.go":               "real time is the point, and what lingers lapses with it",
		"deadline/context_property_test.go": "play runs in a bubble only",
	}

	// skippers may skip tests.
	skippers = exceptions{
		"cmd/stanch/page_test.go":         "it needs Chromium, which .ci/run installs and CI demands",
		"e2e/process_test.go":             "a machine may lack Python or curl; where CI=true that fails instead",
		"quota/redisquota/server_test.go": "a machine may lack redis-server; where CI=true that fails instead",
		"sim/real/published_test.go":      "it takes minutes and an idle machine: to be run by hand, beside tests that always run",
	}
)
