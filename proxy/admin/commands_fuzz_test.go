package admin_test

import (
	"testing"
	"time"
)

// Whatever is asked for, the answer is a fault within its bounds or a problem, and
// a problem changes nothing.
func FuzzFault(f *testing.F) {
	for _, body := range []string{
		"kind=delay&delay=300ms&share=0.25&for=5m", "kind=abort&status=429", "kind=hang&for=10m", "kind=close&share=1e-300", "kind=hang&share=Inf",
		`{"kind":"abort","status":5e2}`, `{"kind":"delay","delay":1}`, `{"kind":true}`, `{"":{}}`, "%zz", "kind=delay&delay=1h59m&for=2562047h47m16.9s",
	} {
		f.Add(body, false)
		f.Add(body, true)
	}
	s := start(f, everything)
	f.Fuzz(func(t *testing.T, body string, isJSON bool) {
		s.ClearFault("shop")
		kind := "application/x-www-form-urlencoded"
		if isJSON {
			kind = asJSON
		}
		before := time.Now()
		w := s.ask("POST", "/faults/shop", body, "Content-Type", kind)
		fault := s.Status().Dependencies[0].Fault
		if w.Code != 200 {
			if fault != nil || w.Code < 400 || w.Code >= 500 {
				t.Fatalf("%d %s, and the fault %v", w.Code, w.Body, fault)
			}
			return
		}
		if fault == nil {
			return // it was short, or to end one
		}
		if left := fault.Until.Sub(before); left > 10*time.Minute+time.Second || !(fault.Share > 0 && fault.Share <= 1) || fault.Validate() != nil {
			t.Fatalf("%+v is out of bounds", fault)
		}
	})
}
