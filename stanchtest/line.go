package stanchtest

import (
	"fmt"
	"strings"
	"time"

	"github.com/stanch-go/stanch"
)

// line is an event as text.
func line(e stanch.Event, start int64) string {
	var b strings.Builder
	add := func(parts ...any) {
		for _, p := range parts {
			fmt.Fprint(&b, " ", p)
		}
	}
	fmt.Fprintf(&b, "%v %s:", time.Duration(e.At-start), e.Dependency)
	add(e.Step)
	switch e.Step {
	case stanch.StepAttempt:
		add(e.Attempt)
		if e.Wait > 0 {
			add("queued", e.Wait)
		}
	case stanch.StepAttemptDone, stanch.StepDone:
		add(e.Attempt, e.Result, e.Outcome, e.Took)
	case stanch.StepBackoff:
		add(e.Attempt, "wait", e.Wait)
	case stanch.StepRetryRefused, stanch.StepRefused:
		add(e.Attempt, e.Reason.Label())
		if e.Wait > 0 {
			add("after", e.Wait)
		}
	case stanch.StepTransition:
		add(e.From, "to", e.To)
	case stanch.StepFallback:
		if e.Source == "" {
			add("none")
		} else {
			add(e.Source)
		}
		add(e.Took)
	}
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}
