package stanchhttp

import (
	"context"
	"errors"
	"net/http"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/outcome"
)

var errNoResponse = errors.New("stanchhttp: the base transport returned neither a response nor an error")

// exchange is one call of RoundTrip with all its attempts.
type exchange struct {
	t   *Transport
	req *http.Request // the caller's, never changed

	key        string // that makes it idempotent, if it is one of ours
	idempotent bool   // to send the request twice does no harm

	number int32          // attempts begun
	resp   *http.Response // the last answer, ours until it is returned
	last   *failed        // how the last attempt failed

	// What the first attempt needs, and most calls have no other. It lies here
	// since one allocation costs less than three.
	room  stanch.Room
	first http.Request // as it is sent
}

// attempt sends the request once.
func (x *exchange) attempt(ctx context.Context) (*http.Response, error) {
	if x.number > 0 && !x.last.repeats {
		return nil, x.last // somebody's classifier asked for what must not be
	}
	x.number++
	x.drop()
	inner, own := x.within(ctx)
	held := false
	if own != nil {
		defer func() {
			if !held {
				own.Cancel()
			}
		}()
	}
	req, err := x.request(ctx, inner)
	if err != nil {
		return nil, outcome.Excluded(err)
	}
	resp, err := x.t.base.RoundTrip(req)
	if s, ok := inner.(*streaming); ok {
		s.answered()
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
		held = x.hold(ctx, own)
		return resp, nil
	}
	x.last = x.badAnswer(resp, v)
	if x.last.verdict.Retry {
		if own == nil {
			own = ctx.(canceler) // see within
		}
		readAhead(resp, own)
	} else {
		held = x.hold(ctx, own)
	}
	return nil, x.last
}

// canceler is what can be ended early.
type canceler interface{ Cancel() }

// cancelFunc makes a function a canceler.
type cancelFunc context.CancelFunc

func (f cancelFunc) Cancel() { f() }

// within returns the context in which the base works for the attempt with ctx.
// It is one of the attempt's own only where it needs another end, or one that can
// come early while an answer is read ahead and ctx is not the guard's but the
// caller's; else own is nil.
func (x *exchange) within(ctx context.Context) (inner context.Context, own canceler) {
	if x.t.options.Streams {
		s := headerOnly(ctx, x.life())
		return s, s
	}
	if _, ok := ctx.(canceler); ok && x.t.bounds || !x.mayFollow() {
		return ctx, nil
	}
	inner, stop := context.WithCancel(ctx)
	return inner, cancelFunc(stop)
}

// request returns the request as the attempt with ctx sends it, in the context
// inner.
func (x *exchange) request(ctx, inner context.Context) (*http.Request, error) {
	req := &x.first
	if x.number > 1 {
		req = new(http.Request) // a connection that was given up may still read from the first
	}
	*req = *x.req.WithContext(inner)
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
	return x.idempotent && int(x.number) < x.t.attempts && x.outer() <= 1 && x.rewinds()
}

// outer returns which attempt of the caller's this is for, 0 if nobody said.
func (x *exchange) outer() int { return deadline.AttemptOf(x.req.Context()) }

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
