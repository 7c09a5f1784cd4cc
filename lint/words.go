package lint

import (
	"fmt"
	"strings"
)

// timeWords say how long a call can take.
func (c *call) timeWords() []string {
	if c.attempt() == never {
		return []string{"for ever: nothing ends a call that hangs"}
	}
	sum, parts := span(c.sum()), c.parts()
	words := parts
	if sum != parts {
		words = parts + " = " + sum
	}
	if d, by := c.shared(); d < c.sum() {
		words = fmt.Sprintf("%s, cut to %s by %s", words, span(d), by)
	}
	all := []string{words}
	if c.retries() && !c.bounded() {
		all = append(all, fmt.Sprintf("a server may ask for a wait of up to %s before each retry on top of that", span(c.Retry.RetryAfterCap)))
	}
	return all
}

// parts write the sum out: 3 attempts x 1s + 300ms of backoff.
func (c *call) parts() string {
	each := span(c.attempt())
	if w := c.queueWait(); w > 0 {
		each = fmt.Sprintf("(%s in the queue + %s)", span(w), each)
	}
	if !c.retries() {
		return strings.Trim(each, "()")
	}
	parts := fmt.Sprintf("%d attempts x %s", c.attempts(), each)
	if b := c.backoff(); b > 0 {
		parts += fmt.Sprintf(" + %s of backoff", span(b))
	}
	return parts
}

// faultWords say what is still served when the dependency hangs.
func (c *call) faultWords() []string {
	workers, worst := c.world.file.Service.Workers, c.worst()
	var all []string
	switch {
	case worst == never:
		all = append(all, "nothing: every request that calls it holds its worker for ever")
	case workers == 0:
		all = append(all, fmt.Sprintf("1 worker / %s = %s requests/s for each worker, if every request calls it", span(worst), number(perSecond(1, worst))))
	default:
		all = append(all, fmt.Sprintf("%d %s / %s = %s requests/s, if every request calls it and only time bounds the calls",
			workers, plural(workers == 1, "worker", "workers"), span(worst), number(perSecond(workers, worst))))
	}
	return append(all, c.bulkheadWords(workers), c.breakerWords())
}

func (c *call) bulkheadWords(workers int) string {
	places, queue := c.places(), c.Bulkhead.Queue
	if places == 0 {
		return "no bulkhead: it can hold every worker"
	}
	who := "bulkhead"
	if c.Bulkhead.Pool != "" {
		who = "pool " + c.Bulkhead.Pool
	}
	bound := fmt.Sprint(places)
	if queue > 0 {
		bound = fmt.Sprintf("%d and %d in the queue", places, queue)
	}
	switch free := workers - c.held(workers); {
	case workers == 0:
		return fmt.Sprintf("%s: it holds %s workers at most, further calls are refused at once", who, bound)
	case free == 0:
		return fmt.Sprintf("%s: it can hold all %d workers (%s)", who, workers, bound)
	default:
		return fmt.Sprintf("%s: it holds %s of %d workers at most, %d stay free, further calls are refused at once", who, bound, workers, free)
	}
}

func (c *call) breakerWords() string {
	if !c.Breaker.Enabled() {
		return "no breaker: so it goes on for as long as it hangs"
	}
	if c.Breaker.Dark {
		return "breaker: dark, it refuses nothing, so it goes on for as long as it hangs"
	}
	n, ok := c.opensAt()
	if !ok {
		return "breaker: it never sees enough failures to open, so it goes on for as long as it hangs"
	}
	when := fmt.Sprintf("once %d calls have failed", n)
	if n == c.Breaker.Consecutive {
		when = fmt.Sprintf("when %d in a row have failed", n)
	}
	return fmt.Sprintf("breaker: opens %s, at the earliest after %s; from then on calls are refused at once, but for %d %s",
		when, span(c.judged()), c.Breaker.Probes, plural(c.Breaker.Probes == 1, "probe", "probes"))
}

// loadWords say how many calls become of one.
func (c *call) loadWords(a Amplification) []string {
	var all []string
	per, ok := c.grant()
	grants := fmt.Sprintf("x%d for one call; when everything fails the budget grants %s a second once what was saved is spent",
		a.Attempts, plural(per == 1, "1 retry", number(per)+" retries"))
	switch {
	case !c.retries():
		all = append(all, "x1: no retries")
	case !ok:
		all = append(all, fmt.Sprintf("x%d when everything fails: no budget bounds the retries", a.Attempts))
	case per == 0:
		all = append(all, fmt.Sprintf("x%d for one call; when everything fails the budget soon grants no retry at all: x1", a.Attempts))
	case a.Bound < float64(a.Attempts):
		all = append(all, fmt.Sprintf("%s: x%s", grants, precise(a.Bound)))
	default:
		all = append(all, grants)
	}
	if a.Layers > int64(a.Attempts) {
		all = append(all, fmt.Sprintf("with the layers above and below: %s = %d tries for one request", productOf(c.layers()), a.Layers))
	}
	return all
}

// productOf writes the tries out: browser 2 x gateway 3, those that try once left
// out.
func productOf(layers []try) string {
	var parts []string
	for _, t := range layers {
		if t.n > 1 {
			parts = append(parts, fmt.Sprintf("%s %d", t.who, t.n))
		}
	}
	return strings.Join(parts, " x ")
}

func precise(x float64) string { return trim(fmt.Sprintf("%.3f", x)) }

// plural takes the first form for one, the second for more.
func plural(isOne bool, one, many string) string {
	if isOne {
		return one
	}
	return many
}
