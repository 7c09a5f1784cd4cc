package stanchhttp

import (
	"net/http"
	"sync/atomic"

	"github.com/stanch-go/stanch"
)

// A Transport is an http.RoundTripper whose calls are guarded by a Dependency.
// It is safe for concurrent use.
//
// Each attempt sends a copy of the request with the attempt's context. Which
// answers and errors are failures, and which of them another attempt may mend,
// say outcome.Status and outcome.Classify. Another attempt is made only if the
// request may be sent twice:
//
//   - its method is idempotent, or it has the header named by
//     Options.IdempotencyHeader (present without a value, it is not sent, as in
//     net/http), or the connection could not be made, so that it never left;
//   - and its body can be had again: there is none, or the request has GetBody.
//     A body is never kept in memory to this end. One that is a [Rewinder] says
//     for itself when it no longer can.
//
// The last answer is returned whatever its status, also if the guard forbade to
// repeat the request. An answer that may be followed by another attempt is read
// ahead, up to 64 KiB and for up to 100 ms, and the connection is free again or
// closed: nothing is held during the backoff. Where such an answer was longer or
// slower and nevertheless remains the last, its body ends with [ErrTruncated].
//
// The attempt's time limit and its place in the bulkhead last until the body of
// the answer is closed, has been read to its end or cannot be read any more
// because the attempt's context has ended; see Options.Streams for bodies that
// take longer. What goes wrong while a body is being
// read is the reader's: it is not repeated, and the breaker does not see it. A
// connection that changes its protocol (101) keeps its place until it is closed,
// and has no time limit.
//
// A call that was refused before its first attempt returns the *stanch.Refusal.
// If the last attempt brought no answer, its error is returned, or a
// *stanch.Refusal that holds it when a retry would have been next.
type Transport struct {
	d        *stanch.Dependency
	base     http.RoundTripper
	options  Options
	attempts int
	bounds   bool                          // each attempt has a context of its own
	last     atomic.Pointer[remainingTime] // that was written
}

// New guards base by d. A nil base is http.DefaultTransport; [NewBase] makes one
// with all time limits set.
func New(d *stanch.Dependency, base http.RoundTripper, options Options) *Transport {
	if base == nil {
		base = http.DefaultTransport
	}
	cfg := d.Config()
	bounds := cfg.Timeout.Attempt > 0 || cfg.Timeout.Total > 0 || cfg.Timeout.Reserve > 0
	return &Transport{d: d, base: base, options: options, attempts: cfg.Retry.Attempts, bounds: bounds}
}

// Dependency returns the guard.
func (t *Transport) Dependency() *stanch.Dependency { return t.d }

// CloseIdleConnections closes those of the base.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	x := t.exchange(req)
	defer x.close()
	_, err := stanch.Do(&x.room, t.d, x.attempt)
	return x.end(err)
}

func (t *Transport) exchange(req *http.Request) *exchange {
	x := &exchange{t: t, req: req}
	x.room.Context = req.Context()
	x.idempotent, x.key = t.options.mayRepeat(req)
	return x
}
