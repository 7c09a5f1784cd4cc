package page

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/proxy"
	"github.com/stanch-go/stanch/shed"
)

// arrivals is what the page tells of the requests to the service.
type arrivals struct {
	Service string
	Now     []fact
	Fates   []fate
}

// A fact is one figure with its name.
type fact struct{ Name, Text, Class string }

// A fate is what became of requests, by priority.
type fate struct {
	What, By string
	Counts   [4]uint64 // the most important first
	Bad      bool
}

// Priorities are the heads of a fate's counts.
func (arrivals) Priorities() (names [4]string) {
	for i := range names {
		names[i] = (shed.CriticalPlus - shed.Priority(i)).String()
	}
	return names
}

// Inbound is nil when the policy takes everything in.
func (m model) Inbound() *arrivals {
	s := m.Status.Inbound
	if s == nil {
		return nil
	}
	a := &arrivals{Service: s.Service, Now: now(s)}
	if a.Service == "" {
		a.Service = "the service"
	}
	for _, c := range s.Counts.Requests {
		what := c.Step.String()
		if c.Step == inbound.Refused {
			what = "refused: " + strings.ReplaceAll(c.Reason.Label(), "_", " ")
		}
		if n := len(a.Fates); n == 0 || a.Fates[n-1].What != what || a.Fates[n-1].By != c.By {
			a.Fates = append(a.Fates, fate{What: what, By: c.By, Bad: c.Step == inbound.Refused})
		}
		a.Fates[len(a.Fates)-1].Counts[shed.CriticalPlus-c.Priority] = c.Requests
	}
	return a
}

// now tells how the service is used.
func now(s *proxy.InboundStatus) []fact {
	is := s.Stats.Shed
	flight := fact{Name: "In flight", Text: strconv.Itoa(is.InFlight)}
	if is.Limit > 0 {
		flight.Text = fmt.Sprintf("%d of %d", is.InFlight, is.Limit)
		if is.InFlight >= is.Limit {
			flight.Class = "warn"
		}
	}
	waiting := fact{Name: "Waiting", Text: strconv.Itoa(is.Waiting)}
	shedding := fact{Name: "Shed", Text: "nothing", Class: "good"}
	if is.Shedding {
		shedding.Class = "warn"
		shedding.Text = percent(1-is.LetIn(is.Priority)) + " of " + is.Priority.String()
		if is.Priority > shed.Sheddable {
			shedding.Text += ", all below"
		}
	}
	facts := []fact{flight, waiting, shedding}
	if a := s.Stats.Adaptive; a != nil {
		facts = append(facts, fact{Name: "Adaptive limit", Text: fmt.Sprintf("%d (%s)", a.Limit, a.Reason)})
	}
	return facts
}
