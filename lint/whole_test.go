package lint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/policy"
)

// TestStarter: what "stanch policy init" writes has nothing to be found in it.
func TestStarter(t *testing.T) {
	r := Check(parse(t, "starter.yaml", string(policy.Starter)))
	for _, f := range r.Findings {
		t.Error(f)
	}
	if len(r.Unknown) != 0 || len(r.Sums) != 4 {
		t.Errorf("%d sums, not known %v", len(r.Sums), r.Unknown)
	}
}

// TestPresets: every class, with nothing but the latency that it needs and what
// is answered instead, has no findings, over the latencies that it is for.
func TestPresets(t *testing.T) {
	for class, latencies := range map[stanch.Class][]string{
		stanch.ClassStandard:     {"20ms", "80ms", "150ms"}, // its 50 ms in the queue are not for what is quicker
		stanch.ClassCoreRead:     {"1ms", "80ms", "200ms"},
		stanch.ClassCoreWrite:    {"1ms", "80ms", "200ms"},
		stanch.ClassOptionalRead: {"1ms", "80ms", "200ms"},
		stanch.ClassSidePath:     {"1ms", "20ms", "80ms"},
	} {
		for _, p99 := range latencies {
			text := fmt.Sprintf("dependencies: {d: {class: %s, p99: %s}}\n", class, p99)
			if class == stanch.ClassOptionalRead {
				text = strings.Replace(text, "}}", ", fallback: {empty: array}}}", 1)
			}
			for _, f := range Check(parse(t, string(class), File(text))).Findings {
				t.Errorf("p99 %s: %v", p99, f)
			}
		}
	}
}

// TestSuppressed: what is allowed is still told of, with the reason.
func TestSuppressed(t *testing.T) {
	const first, second = "the page has its own list", "so do the others"
	r := Check(parse(t, "policy.yaml", `version: 1
dependencies:
  a: {class: optional_read, allow: [{check: ST501, reason: `+first+`}]}
  b: {class: optional_read}
allow: [{check: ST501, reason: `+second+`}]
`))
	if len(r.Findings) != 2 || r.Findings[0].Allowed != first || r.Findings[1].Allowed != second || len(r.Broken(Info)) != 0 {
		t.Errorf("findings are %v", r.Findings)
	}
	// Of one dependency it is no other's.
	r = Check(parse(t, "policy.yaml", `version: 1
dependencies:
  a: {class: optional_read, fallback: {hidden: true}}
  b: {class: optional_read, allow: [{check: ST501, reason: why}]}
  c: {class: optional_read}
`))
	if broken := r.Broken(Info); len(broken) != 1 || broken[0].Dependency != "c" {
		t.Errorf("broken are %v", broken)
	}
}

func TestSeverities(t *testing.T) {
	if !Error.AtLeast(Error) || !Error.AtLeast(Info) || Warning.AtLeast(Error) || Info.AtLeast(Warning) || !Warning.AtLeast(Warning) {
		t.Error("severities are not in order")
	}
}
