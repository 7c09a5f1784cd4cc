package demo

import (
	"strings"
	"testing"

	"github.com/stanch-go/stanch/sim"
)

// The policy that is shown is the one that runs.
func TestShownPolicyRuns(t *testing.T) {
	file := "scenario: shown\nduration: 1s\ndependencies: {recommend: {phases: [{latency: 30ms}]}}\n" +
		"loads: {users: {to: recommend, rate: 1}}\npolicy:\n  " + strings.ReplaceAll(PolicyYAML, "\n", "\n  ")
	s, err := sim.Parse("shown.yaml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	runs := newTestGuard(t).dependency.Config()
	shown, ok := s.Variants[0].Model.Policy.Get("recommend")
	if !ok || shown.Policy.Config() != runs {
		t.Errorf("shown is\n%+v\nwhat runs is\n%+v", shown.Policy.Config(), runs)
	}
	if shown.Alternative != "popular" {
		t.Errorf("the alternative shown is %q", shown.Alternative)
	}
	if want := "stanch.Standard(" + "200*time.Millisecond)"; !strings.Contains(PolicyGo, want) || runs.Timeout.Attempt != attempt || attempt.Milliseconds() != 200 {
		t.Errorf("the Go lines do not say %s", want)
	}
}
