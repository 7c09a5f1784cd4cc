package sim

import "testing"

func expectOf(t *testing.T, text string) Expectation {
	t.Helper()
	e, err := ParseExpected(text)
	if err != nil {
		t.Fatal(err)
	}
	return e.check(made())
}

// "completed_per_s[0..4] == 0" once looked at the first second only: a scenario
// that promised five seconds of silence passed with one.
func TestEachOfARangeIsLookedAt(t *testing.T) {
	if e := expectOf(t, "one: completed_per_s[0..4] == 0"); e.Holds || e.Figure != 9 {
		t.Errorf("the third second has 9, but the expectation gives %+v", e)
	}
	if e := expectOf(t, "one: completed_per_s[0..2] < 9"); e.Holds || e.Figure != 9 {
		t.Errorf("the last of the range counts too, but the expectation gives %+v", e)
	}
}

// A recovery that never came is the figure -1, and "within 150 ms of the end of
// the fault" once held of it.
func TestNeverIsNotEarly(t *testing.T) {
	for _, text := range []string{"< 150", "<= 150", "> 150", ">= 0", "> -2", "~ -1"} {
		if e := expectOf(t, "one: first_success_after_recovery_ms "+text); e.Holds {
			t.Errorf("there was no success after recovery, but it is %s", text)
		}
	}
	if !expectOf(t, "one: first_success_after_recovery_ms == -1").Holds || !expectOf(t, "one: full_rate_after_recovery_ms <= 30").Holds {
		t.Error("never is -1, and an early recovery is early")
	}
}

// A misspelt reason was once the figure 0, like a reason that did not occur, so
// that what was expected never to happen was not looked at.
func TestMisspeltReasonIsAFault(t *testing.T) {
	if x, err := made().Figure("one", "refused.queu_full"); err == nil {
		t.Errorf("got %v", x)
	}
}
