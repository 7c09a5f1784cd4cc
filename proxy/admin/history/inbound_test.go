package history

import (
	"slices"
	"testing"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/proxy"
)

// What is refused before it comes to the service is part of its history, and is
// not counted anew when the policy has a section inbound again.
func TestInboundRefusals(t *testing.T) {
	h := New()
	at := func(second int, refused uint64) {
		s := status(time.Duration(second)*time.Second, proxy.DependencyStatus{Name: "news", Local: true})
		if refused > 0 {
			s.Inbound = &proxy.InboundStatus{Counts: inbound.Counts{Requests: []inbound.Count{
				{Step: inbound.Admitted, Requests: 100},
				{Step: inbound.Refused, Reason: stanch.ErrShed, Requests: refused},
			}}}
		}
		h.Add(s, nil)
	}
	at(0, 5)
	at(1, 8)
	at(2, 0) // without the section
	at(3, 9)
	values := h.Read("ingress:news").Refused[slices.Index(Reasons, "shed")]
	if sum := values[len(values)-1] + values[len(values)-2] + values[len(values)-3]; sum != 4 {
		t.Errorf("%v refused, want 3, 0 and 1", values[len(values)-3:])
	}
}
