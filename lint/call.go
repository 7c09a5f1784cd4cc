package lint

import (
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/policy"
	"github.com/stanch-go/stanch/retry"
)

// never is a time that has no end.
const never = time.Duration(1<<63 - 1)

// call is what the policy makes of a call to one dependency.
type call struct {
	world *world
	name  string
	policy.Dependency
}

// at is the path of a key of the dependency.
func (c *call) at(key string) string { return dependencies + c.name + "." + key }

// given reports whether the file gives a key of the dependency.
func (c *call) given(key string) bool { return c.world.given(c.at(key)) }

// firstGiven returns the path of the first key that the file gives, or else of
// the first.
func (c *call) firstGiven(keys ...string) string {
	for _, key := range keys {
		if c.given(key) {
			return c.at(key)
		}
	}
	return c.at(keys[0])
}

func (c *call) core() bool {
	return c.Class == stanch.ClassCoreRead || c.Class == stanch.ClassCoreWrite
}

func (c *call) optional() bool {
	return c.Class == stanch.ClassOptionalRead || c.Class == stanch.ClassSidePath
}

// attempts is how often a call is tried at most.
func (c *call) attempts() int { return max(1, c.Retry.Attempts) }

func (c *call) retries() bool { return c.Retry.Attempts > 1 }

// budgeted reports whether a budget bounds the retries of all callers.
func (c *call) budgeted() bool { return c.Budget.Kind != "" && c.Budget.Kind != retry.KindNone }

// guarded reports whether there is a breaker that refuses.
func (c *call) guarded() bool { return c.Breaker.Enabled() && !c.Breaker.Dark }

// handedOn reports whether the call knows how much time its caller has left.
func (c *call) handedOn() bool { return c.Timeout.Reserve > 0 }

// shared is the one budget of time of all attempts of a call, never if there is
// none, and the key that gives it.
func (c *call) shared() (d time.Duration, by string) {
	d = never
	if c.Timeout.Total > 0 {
		d, by = c.Timeout.Total, "timeout.total"
	}
	if deadline := c.world.file.Service.Deadline; c.handedOn() && deadline > 0 {
		if left := max(deadline-c.Timeout.Reserve, 1); left < d {
			d, by = left, "service.deadline"
		}
	}
	return d, by
}

// bounded reports whether the attempts share one budget, so that their ceilings
// do not add up.
func (c *call) bounded() bool { return c.Timeout.Total > 0 || c.handedOn() }

// attempt is the longest that one attempt runs.
func (c *call) attempt() time.Duration {
	d, _ := c.shared()
	if c.Timeout.Attempt > 0 {
		d = min(d, c.Timeout.Attempt)
	}
	return d
}

// queueWait is the longest that an attempt waits for a place.
func (c *call) queueWait() time.Duration {
	if c.Bulkhead.Queue > 0 && c.places() > 0 {
		return c.Bulkhead.MaxWait
	}
	return 0
}

// backoff is the longest that a call waits between its attempts in all, without
// what the server asks for.
func (c *call) backoff() (sum time.Duration) {
	for d := range c.Retry.Waits() {
		sum = plus(sum, d)
	}
	return sum
}

// sum is how long all attempts take one after the other.
func (c *call) sum() time.Duration {
	if c.attempt() == never {
		return never
	}
	return plus(times(c.attempts(), plus(c.queueWait(), c.attempt())), c.backoff())
}

// worst is the longest that a call takes.
func (c *call) worst() time.Duration {
	d, _ := c.shared()
	return min(d, c.sum())
}

// judged is the longest that what the breaker counts takes.
func (c *call) judged() time.Duration {
	if c.Breaker.Counts == breaker.CountsCall {
		return c.worst()
	}
	return c.attempt()
}

// places is how many attempts run at once; 0 is no bound.
func (c *call) places() int {
	if c.Bulkhead.Pool != "" {
		return c.Bulkhead.Max
	}
	return c.Bulkhead.Limit
}

// held is how many workers a hanging dependency can hold at most, of so many.
func (c *call) held(workers int) int {
	if c.places() == 0 {
		return workers
	}
	return min(workers, c.places()+c.Bulkhead.Queue)
}

// startsPerSecond is how many attempts may begin a second; 0 is no bound.
func (c *call) startsPerSecond() float64 {
	if c.Rate.Rate == 0 {
		return 0
	}
	return c.Rate.Rate / c.Rate.Window.Seconds()
}
