package stanch

import "errors"

// ending says what the end of an attempt means for its place in the bulkhead.
type ending uint8

const (
	over      ending = iota // the dependency has nothing to do for it, as far as is known
	answered                // and it is the dependency that said so
	abandoned               // the dependency is probably still at work on it
)

// leave gives a place in the bulkhead back, or leaves it to an attempt that was
// given up.
func (d *Dependency) leave(now int64, how ending) {
	switch how {
	case abandoned:
		d.bulkhead.AbandonAt(now)
	case answered:
		d.bulkhead.ReleaseAt(now)
		d.bulkhead.AliveAt(now)
	default:
		d.bulkhead.ReleaseAt(now)
	}
}

// ending judges the end of the attempt whose function has returned. A probe is
// never abandoned: there are few, and the next one needs a place too.
func (c *call) ending(failure error) ending {
	if failure == nil {
		return answered
	}
	if _, refused := errors.AsType[*Refusal](failure); refused {
		return over // by a guard further in, of another dependency
	}
	if c.now < c.limit && c.ctx.Err() == nil && !timedOut(failure) {
		return answered
	}
	if c.permits && c.permit.Probe() {
		return over
	}
	return abandoned
}
