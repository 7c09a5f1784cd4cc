package stanchhttp

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/outcome"
)

var errNoResponse = errors.New("stanchhttp: the base transport returned neither a response nor an error")

// exchange is one call of RoundTrip with all its attempts.
type exchange struct {
	t   *Transport
	req *http.Request // the caller's, never changed

	idempotent bool   // to send the request twice does no harm
	key        string // the key that makes it so, if it is one of ours

	number int            // attempts begun
	resp   *http.Response // the last answer, ours until it is returned
	last   *failed        // how the last attempt failed
}

// attempt sends the request once.
func (x *exchange) attempt(ctx context.Context) (*http.Response, error) {
	if x.number > 0 && !x.last.repeats {
		return nil, x.last // somebody's classifier asked for what must not be
	}
	x.number++
	x.drop()
	inner, answered, stop := x.within(ctx)
	held := false
	defer func() {
		if !held {
			stop()
		}
	}()
	req, err := x.request(ctx, inner)
	if err != nil {
		return nil, outcome.Excluded(err)
	}
	resp, err := x.t.base.RoundTrip(req)
	answered()
	if err == nil && resp == nil {
		err = errNoResponse
	}
	if err != nil {
		if errors.Is(err, context.Canceled) && ctx.Err() != nil {
			err = context.Cause(ctx) // which HTTP/2 does not tell
		}
		x.last = x.noAnswer(err, ctx.Err())
		return nil, x.last
	}
	x.take(resp, req)
	v := verdict(resp)
	if v.Outcome == outcome.Success {
		held = x.hold(ctx, stop)
		return resp, nil
	}
	x.last = x.badAnswer(resp, v)
	if x.last.verdict.Retry {
		readAhead(resp, stop)
	} else {
		held = x.hold(ctx, stop)
	}
	return nil, x.last
}

// within returns the context in which the base works for the attempt with ctx,
// what to call when it has returned, and what ends the context. It is a context
// of its own only where it needs another end.
func (x *exchange) within(ctx context.Context) (inner context.Context, answered func(), stop context.CancelFunc) {
	switch {
	case x.t.options.Streams:
		return headerOnly(ctx, x.life())
	case x.mayFollow(): // to bound reading ahead
		inner, stop = context.WithCancel(ctx)
		return inner, func() {}, stop
	}
	return ctx, func() {}, func() {}
}

// request returns the request as the attempt with ctx sends it, in the context
// inner.
func (x *exchange) request(ctx, inner context.Context) (*http.Request, error) {
	req := x.req.WithContext(inner)
	if x.number > 1 && hasBody(x.req) {
		body, err := x.req.GetBody()
		if err != nil {
			return nil, err
		}
		req.Body = body
	}
	if req.Header = x.req.Header.Clone(); req.Header == nil {
		req.Header = http.Header{}
	}
	if x.key != "" {
		req.Header.Set(x.t.options.keyHeader(), x.key)
	}
	if x.t.options.OmitHeaders {
		return req, nil
	}
	if end, ok := ctx.Deadline(); ok {
		deadline.Write(req.Header, time.Until(end))
	}
	// To the server a first try for somebody's second one is a second one.
	deadline.WriteAttempt(req.Header, max(x.number, deadline.AttemptOf(x.req.Context())))
	return req, nil
}

// rewinds reports whether the body can be had again.
func (x *exchange) rewinds() bool {
	if !hasBody(x.req) {
		return true
	}
	if x.req.GetBody == nil {
		return false
	}
	body, ok := x.req.Body.(Rewinder)
	return !ok || body.Rewinds()
}

// mayFollow reports whether another attempt may follow an answer to this one.
func (x *exchange) mayFollow() bool {
	return x.idempotent && x.number < x.t.attempts && deadline.AttemptOf(x.req.Context()) <= 1 && x.rewinds()
}

// take makes an answer presentable: its request is the caller's.
func (x *exchange) take(resp *http.Response, sent *http.Request) {
	if resp.Request == nil || resp.Request == sent {
		resp.Request = x.req
	}
	if resp.Body == nil {
		resp.Body = http.NoBody
	}
	x.resp = resp
}

// drop ends an answer that nobody gets.
func (x *exchange) drop() {
	if x.resp != nil {
		x.resp.Body.Close()
		x.resp = nil
	}
}

// end returns what the caller gets when the guard is done: an answer rather than
// the guard's error, wherever there is one.
func (x *exchange) end(err error) (*http.Response, error) {
	f, ours := errors.AsType[*failed](err)
	if err == nil || ours && f == x.last && x.resp != nil {
		resp := x.resp
		x.resp = nil
		return resp, nil
	}
	if ours && err == error(f) {
		return nil, f.error
	}
	return nil, err
}

// close ends what was not handed over: the body of a request that was never
// sent, an answer when the caller left or something panicked.
func (x *exchange) close() {
	if x.number == 0 && x.req.Body != nil {
		x.req.Body.Close()
	}
	x.drop()
}
