package quota

import (
	"errors"
	"time"
)

// again is when somebody who was refused because the store is away may come again.
const again = time.Second

var errNoStore = errors.New("mode: needs a store; one instance alone needs none and is embedded")

// without decides when the store has no part in it.
func without(now int64, s *settings, shares *Memory, key string, cost float64, cause error, retry time.Duration) Decision {
	var d Decision
	switch s.OnFailure {
	case FailOpen:
		d = unlimited(cost)
	case FailLocal:
		d = shares.allow(now, s.local, key, cost)
		d.RetryAfter = min(d.RetryAfter, retry) // by then the store may be back
	default:
		d = Decision{RetryAfter: retry}
	}
	d.Err = cause
	return d
}

// Stats counts what one instance had to do with the store.
type Stats struct {
	// Asked is how many round trips to the store were begun, Failed how many of
	// them brought no answer.
	Asked, Failed uint64
	// Keys is how many keys this instance holds a slice of or knows, Held the cost
	// of all those slices. Leased only.
	Keys int
	Held float64
}
