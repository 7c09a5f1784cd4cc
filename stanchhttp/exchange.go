package stanchhttp

import (
	"context"
	"errors"
	"net/http"

	"github.com/stanch-go/stanch/outcome"
)

var errNoResponse = errors.New("stanchhttp: the base transport returned neither a response nor an error")

// exchange is one call of RoundTrip with all its attempts.
type exchange struct {
	t   *Transport
	req *http.Request // the caller's, never changed

	idempotent bool   // to send the request twice does no harm
	key        string // the key that makes it so, if it is one of ours
	outer      int    // which attempt of the caller's this is for, 0 if nobody said

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
	inner, answered, cut, stop := x.within(ctx)
	held := false
	if stop != nil {
		defer func() {
			if !held {
				stop()
			}
		}()
	}
	req, err := x.request(ctx, inner)
	if err != nil {
		return nil, outcome.Excluded(err)
	}
	resp, err := x.t.base.RoundTrip(req)
	if answered != nil {
		answered()
	}
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
	v := x.judge(resp)
	if v.Outcome == outcome.Success {
		held = x.hold(ctx, stop)
		return resp, nil
	}
	x.last = x.badAnswer(resp, v)
	if x.last.verdict.Retry {
		readAhead(resp, cut)
	} else {
		held = x.hold(ctx, stop)
	}
	return nil, x.last
}

// within returns the context in which the base works for the attempt with ctx;
// what to call when it has returned, what ends the context while an answer is
// read ahead, and what ends it for good. It is a context of its own, with
// something to end, only where it needs another end.
func (x *exchange) within(ctx context.Context) (inner context.Context, answered func(), cut, stop context.CancelFunc) {
	if x.t.options.Streams {
		inner, answered, stop = headerOnly(ctx, x.life())
		return inner, answered, stop, stop
	}
	// A context of the guard's may be ended early, the caller's may not.
	if own, ok := ctx.(interface{ Cancel() }); ok && x.t.bounds {
		return ctx, nil, own.Cancel, nil
	}
	if x.mayFollow() {
		inner, stop = context.WithCancel(ctx)
		return inner, nil, stop, stop
	}
	return ctx, nil, nil, nil
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
	req.Header = x.header(ctx)
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

// judge judges an answer.
func (x *exchange) judge(resp *http.Response) outcome.Verdict {
	if x.t.options.Judge != nil {
		if v, ok := x.t.options.Judge(resp); ok {
			return v
		}
	}
	return verdict(resp)
}

// mayFollow reports whether another attempt may follow an answer to this one.
func (x *exchange) mayFollow() bool {
	return x.idempotent && x.number < x.t.attempts && x.outer <= 1 && x.rewinds()
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
