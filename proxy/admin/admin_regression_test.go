package admin_test

import (
	"errors"
	"testing"
)

// agentgateway #3029: after a faulty reload the status showed the settings that
// were refused, while the old ones were in force. Whoever looked thought the
// change was there.
func TestStatusIsOfThePolicyInForce(t *testing.T) {
	s := start(t, everything)
	before := s.Policy().Hash
	s.Reject(errors.New("policy.yaml:9:3: bad"))
	var got struct {
		Policy struct {
			Hash     string
			Rejected *struct{ Faults []string }
		}
		Dependencies []struct{ Name string }
	}
	s.get("/status", &got)
	if got.Policy.Hash != before || got.Policy.Rejected == nil || got.Policy.Rejected.Faults[0] != "policy.yaml:9:3: bad" {
		t.Errorf("%+v", got.Policy)
	}
	// And what is good comes into force, with all its names, at once.
	if _, err := s.Swap(load(t, "version: 1\nlisten: {egress: \"127.0.0.1:0\"}\ndependencies: {other: {url: \"http://127.0.0.1:9\"}}\n")); err != nil {
		t.Fatal(err)
	}
	got.Policy.Rejected = nil
	s.get("/status", &got)
	if got.Policy.Hash == before || got.Policy.Rejected != nil || len(got.Dependencies) != 1 || got.Dependencies[0].Name != "other" {
		t.Errorf("%+v", got)
	}
	if w := s.ask("POST", "/breaker/shop", "state=open"); w.Code != 404 {
		t.Errorf("what is gone takes commands: %d", w.Code)
	}
}

// toxiproxy #603: a fault for none of the requests struck some. Here it is no
// fault at all, and is refused.
func TestShareOfNothingIsRefused(t *testing.T) {
	s := start(t, everything)
	for _, share := range []string{"0", "0.0", "-0", "0e5", "1e-400"} {
		if w := s.ask("POST", "/faults/shop", "kind=hang&share="+share); w.Code != 400 || s.Status().Dependencies[0].Fault != nil {
			t.Errorf("share %s: %d", share, w.Code)
		}
	}
}
