package stanchhttp

import (
	"context"
	"maps"
	"net/http"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/shed"
)

// header returns the header of the request that the attempt with ctx sends.
func (x *exchange) header(ctx context.Context) http.Header {
	h := x.headerToWrite()
	if x.key != "" {
		h.Set(x.t.options.keyHeader(), x.key)
	}
	if x.t.options.OmitHeaders {
		return h
	}
	if left, ok := x.left(ctx); ok {
		h[deadline.HeaderTimeout] = x.t.remaining(left)
	}
	if p, ok := ctx.Value(shed.PriorityKey{}).(shed.Priority); ok && h[shed.Header] == nil {
		h[shed.Header] = priorityValue[p.String()]
	}
	// To the server a first try for somebody's second one is a second one.
	if n := max(int(x.number), x.outer()); n > 1 {
		deadline.WriteAttempt(h, n)
	} else {
		h[deadline.HeaderAttempt] = firstAttempt
	}
	return h
}

// left returns how long the attempt with ctx has. What the guard gave it when it
// began a moment ago needs no look at the clock.
func (x *exchange) left(ctx context.Context) (time.Duration, bool) {
	if x.t.bounds {
		return stanch.Given(ctx)
	}
	end, ok := ctx.Deadline()
	return time.Until(end), ok
}

// oneGroup is how many names a map has in one piece, which is copied as one.
const oneGroup = 8

// headerToWrite returns a map of the attempt's own; the values are the caller's.
// After the first attempt they are cut, so that to add one copies them: an
// attempt never writes where the one before may still be read from, as by a
// connection that was given up.
func (x *exchange) headerToWrite() http.Header {
	n := len(x.req.Header) + 2
	if x.number == 1 && x.req.Header != nil {
		if x.t.options.Owned {
			return x.req.Header
		}
		if n <= oneGroup {
			return maps.Clone(x.req.Header)
		}
	}
	h := make(http.Header, n)
	for name, values := range x.req.Header {
		h[name] = values[:len(values):len(values)]
	}
	return h
}

// Values that requests have in common are written once and shared.
var firstAttempt = []string{"1"}

var priorityValue = func() map[string][]string {
	m := map[string][]string{}
	for p := shed.Sheddable; p <= shed.CriticalPlus; p++ {
		m[p.String()] = []string{p.String()}
	}
	return m
}()

// remainingTime is a remaining time and how it is written.
type remainingTime struct {
	millis int64
	values []string
}

// remaining returns the remaining time as a header has it. Most calls have as
// much as the one before.
func (t *Transport) remaining(d time.Duration) []string {
	millis := d.Milliseconds()
	if last := t.last.Load(); last != nil && last.millis == millis {
		return last.values
	}
	h := http.Header{}
	deadline.Write(h, d)
	t.last.Store(&remainingTime{millis, h[deadline.HeaderTimeout]})
	return h[deadline.HeaderTimeout]
}
