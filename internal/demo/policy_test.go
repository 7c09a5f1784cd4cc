package demo

import (
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/lint"
	"github.com/stanch-go/stanch/policy"
)

func testPolicy(t *testing.T) *policy.Policy {
	t.Helper()
	p, err := policy.Parse("policy.yaml", []byte(policyText("127.0.0.1:1", "127.0.0.1:2", "http://127.0.0.1:3")))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What is shown as the way to do it is nothing that stanch check complains of.
func TestPolicyPassesCheck(t *testing.T) {
	for _, f := range lint.Check(testPolicy(t)).Findings {
		t.Error(f)
	}
}

// The file, the lines of Go and the services are of one kind.
func TestPolicySaysOneThing(t *testing.T) {
	p := testPolicy(t)
	if p.Service.Workers != Default().Workers {
		t.Errorf("the policy has %d workers, the service %d", p.Service.Workers, Default().Workers)
	}
	set, err := p.Build(nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := set.Dependency("recommend")
	if err != nil {
		t.Fatal(err)
	}
	if want := stanch.Standard(200 * time.Millisecond); d.Config() != want {
		t.Errorf("the file says\n%+v\nthe Go lines\n%+v", d.Config(), want)
	}
	if want := "stanch.Standard(200*time.Millisecond)"; !strings.Contains(PolicyGo, want) {
		t.Errorf("the Go lines do not say %s", want)
	}
}

// Both services must be able to serve what comes when the dependency is well.
func TestMaxRateFits(t *testing.T) {
	c := Default()
	atOnce := int(c.Quick * MaxRate / time.Second)
	if atOnce >= c.Workers {
		t.Errorf("%d calls at once need more than %d workers", atOnce, c.Workers)
	}
	if places := stanch.Standard(200 * time.Millisecond).Bulkhead.Limit; atOnce >= places {
		t.Errorf("%d calls at once need more than %d places", atOnce, places)
	}
}
