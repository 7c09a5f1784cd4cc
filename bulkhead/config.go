package bulkhead

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Config describes a bulkhead that stands alone. The zero value bounds nothing.
type Config struct {
	// Limit is the most calls in flight at once. 0, the default, is off: every
	// call is admitted and still counted. Range 0 to 2147483647.
	Limit int `yaml:"limit"`
	// Queue is the most calls that wait for a permit. 0, the default, refuses
	// at once. Range 0 to 2147483647.
	Queue int `yaml:"queue"`
	// MaxWait is the longest wait in the queue. There is no default: a queue
	// needs one, because a wait without bound only moves the pile-up. Positive
	// with Queue, else unused.
	MaxWait time.Duration `yaml:"max_wait"`
	// Order says which waiter is next: fifo (the default), lifo or adaptive.
	Order Order `yaml:"order"`
	// Linger is how long the permit of an abandoned call stays in flight: one
	// that timed out, and on which the dependency is probably still at work.
	// So Limit bounds what the dependency has in hand, and not only what is
	// waited for. An answer of the dependency ends it early. Default 0: the
	// permit is free at once.
	Linger time.Duration `yaml:"linger"`
}

// Order says which waiter gets the next permit. Empty means [FIFO].
type Order string

const (
	// FIFO serves the one that has waited longest.
	FIFO Order = "fifo"
	// LIFO serves the newest: under overload it is the one whose caller is
	// most likely still there. Old ones may wait in vain until MaxWait.
	LIFO Order = "lifo"
	// Adaptive is FIFO, and LIFO while overloaded: from when the queue has not
	// been empty for 100 ms until it is (Maurer, Fail at Scale, ACM Queue 2015).
	Adaptive Order = "adaptive"
)

const maxSlots = math.MaxInt32

// Validate returns every fault of the configuration, each beginning with the
// name of the field.
func (c Config) Validate() error {
	return errors.Join(
		inRange("limit", c.Limit),
		validQueue(c.Queue, c.MaxWait, c.Order),
		notNegative("linger", c.Linger),
	)
}

func notNegative(field string, d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("%s: must not be negative, is %v", field, d)
	}
	return nil
}

func validQueue(queue int, maxWait time.Duration, order Order) error {
	var wait, unknown error
	switch {
	case maxWait < 0:
		wait = fmt.Errorf("max_wait: must not be negative, is %v", maxWait)
	case queue > 0 && maxWait == 0:
		wait = errors.New("max_wait: must be positive with a queue, is 0s")
	}
	switch order {
	case "", FIFO, LIFO, Adaptive:
	default:
		unknown = fmt.Errorf("order: must be fifo, lifo or adaptive, is %q", order)
	}
	return errors.Join(inRange("queue", queue), wait, unknown)
}

func inRange(field string, n int) error {
	switch {
	case n < 0:
		return fmt.Errorf("%s: must not be negative, is %d", field, n)
	case n > maxSlots:
		return fmt.Errorf("%s: must be at most %d, is %d", field, maxSlots, n)
	}
	return nil
}
