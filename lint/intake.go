package lint

import (
	"fmt"
	"math"

	"github.com/stanch-go/stanch/inbound"
)

// Intake is what one instance of the service takes in at most.
type Intake struct {
	// InFlight is how many requests are worked on at once. 0: no bound, or one
	// that finds itself.
	InFlight int `json:"in_flight"`
	// PerS is what the limits and quotas let in a second, as far as the file tells
	// how many share them. Null: there is no bound, or it is not known.
	PerS *float64 `json:"requests_per_s"`
	// CapacityPerS is what can be done a second. Null: not known.
	CapacityPerS *float64 `json:"capacity_per_s"`
	// Words say it.
	Words []string `json:"words"`
}

// intake is nil without an inbound section.
func (w *world) intake() *Intake {
	if w.file.Inbound == nil {
		return nil
	}
	i := &Intake{InFlight: w.most()}
	c := w.file.Inbound.Concurrency
	switch {
	case c.Limit > 0 && c.Adaptive != nil:
		i.Words = append(i.Words, fmt.Sprintf("%d requests in flight, fewer if that is found to be too many; then the least important are refused", c.Limit))
	case c.Limit > 0:
		i.Words = append(i.Words, fmt.Sprintf("%d requests in flight, then the least important are refused", c.Limit))
	case c.Adaptive != nil:
		i.Words = append(i.Words, fmt.Sprintf("between %d and %d requests in flight, as it finds, then the least important are refused", c.Adaptive.Min, c.Adaptive.Max))
	default:
		i.Words = append(i.Words, "any number of requests in flight")
	}
	if rate, by := w.letIn(); rate > 0 {
		i.PerS = new(round(rate, 3))
		i.Words = append(i.Words, fmt.Sprintf("%s requests/s by %s", number(rate), by))
	} else {
		i.Words = append(i.Words, "any number of requests a second")
	}
	if can, known := w.capacity(); known {
		i.CapacityPerS = new(round(can.perSecond, 3))
		i.Words = append(i.Words, fmt.Sprintf("it can do about %s requests/s: %s", number(can.perSecond), can.words))
	}
	return i
}

// letIn is what the limits and quotas let into this instance in a second: the
// least of those that are for all requests, or else the sum of those for single
// routes. 0 is no bound, or not known.
func (w *world) letIn() (rate float64, by string) {
	rate = math.Inf(1)
	routes := map[string]float64{}
	for _, t := range w.takings() {
		all := w.ofAll(t)
		switch {
		case all == 0:
		case t.route == "" || t.route == "/":
			if all < rate || all == rate && t.path < by {
				rate, by = all, t.path
			}
		case routes[t.route] == 0 || all < routes[t.route]:
			routes[t.route] = all
		}
	}
	if by != "" {
		return rate, by
	}
	sum := 0.0
	for route, all := range routes {
		sum += all
		for other := range routes {
			if other != route && covers(other, route) {
				return 0, "" // they do not add up
			}
		}
	}
	return sum, "the limits of its routes"
}

// ofAll is what a limit lets into this instance of all its keys together; 0 is
// not known.
func (w *world) ofAll(t taking) float64 {
	switch t.by {
	case inbound.Everyone:
		return w.here(t)
	case inbound.Tenant:
		return w.here(t) * float64(w.file.Service.Tenants)
	}
	return 0
}
