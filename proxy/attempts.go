package proxy

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/internal/answer"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/proxy/direct"
)

// attempts sends the single attempts of guarded calls.
type attempts struct {
	route  *route
	base   *http.Transport
	direct []*direct.Transport // to each of the URLs; nil where there is none
}

// newAttempts returns those that base sends, or what is simple, directly.
func (r *route) newAttempts(base *http.Transport, simple bool) *attempts {
	a := &attempts{r, base, make([]*direct.Transport, len(r.targets))}
	for i, u := range r.targets {
		if simple && direct.Reuses && u.Scheme == "http" {
			a.direct[i] = direct.New(net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "80")), base)
		}
	}
	return a
}

// CloseIdleConnections closes those of the transports.
func (a *attempts) CloseIdleConnections() {
	a.base.CloseIdleConnections()
	for _, d := range a.direct {
		if d != nil {
			d.CloseIdleConnections()
		}
	}
}

// via returns what sends a request to the URL at index.
func (a *attempts) via(index int, req *http.Request) http.RoundTripper {
	if d := a.direct[index]; d != nil && direct.Takes(req) {
		return d
	}
	return a.base
}

// RoundTrip makes one attempt. The request is a copy made for it.
func (a *attempts) RoundTrip(req *http.Request) (*http.Response, error) {
	x := exchangeOf(req.Context())
	x.number++
	index := (x.start + x.number - 1) % len(a.route.targets)
	if x.number > 1 && len(a.route.targets) > 1 {
		to := x.to.at(a.route.targets[index])
		req.URL, req.Host = &to, to.Host
	}
	x.tellTime(req.Header)
	if resp, err := a.route.life.strike(req); resp != nil || err != nil {
		return resp, err
	}
	if x.body != nil {
		// HTTP/1 waits for a reader of the body rather than close it.
		defer context.AfterFunc(req.Context(), func() { req.Body.Close() })()
	}
	resp, err := a.via(index, req).RoundTrip(req)
	if err != nil {
		return nil, x.blame(err, req.Context().Err())
	}
	watch(resp, a.route.pause(x, resp))
	return resp, nil
}

// tellTime corrects what the dependency is told of its time. An attempt's is for
// the header of the answer: to a stream, which whoever reads it may take for an
// end, it is not told. What a gRPC client said is for the whole of its call.
func (x *exchange) tellTime(h http.Header) {
	if x.grpc || x.streams {
		h.Del(deadline.HeaderTimeout)
	}
	if x.grpc && h.Get(deadline.HeaderGRPCTimeout) != "" && !x.end.IsZero() {
		h.Set(deadline.HeaderGRPCTimeout, deadline.FormatGRPC(time.Until(x.end)))
	}
}

// blame says whose fault it is that there is no answer: not the dependency's if
// the client sent what cannot be read, or left, or if the time went by waiting
// for it. A gRPC client may well leave its half open.
func (x *exchange) blame(err, ended error) error {
	if x.body == nil {
		return err
	}
	fault, waiting := x.body.fault(x.Err() != nil)
	if fault == nil && waiting && ended != nil && !x.grpc {
		fault = errStalled
	}
	if fault != nil {
		return outcome.Excluded(&clientError{fault})
	}
	return err
}

// pause returns how long the body of an answer may say nothing.
func (r *route) pause(x *exchange, resp *http.Response) time.Duration {
	if x.grpc || resp.StatusCode == http.StatusSwitchingProtocols || answer.IsEventStream(resp.Header) {
		return r.dep.HTTP.StreamIdle
	}
	return r.dep.HTTP.Idle
}

// A clientError is a fault of the client, which must not count for or against
// the dependency.
type clientError struct{ error }

func (e *clientError) Unwrap() error { return e.error }

func clientFault(err error) (error, bool) {
	e, ok := errors.AsType[*clientError](err)
	if !ok {
		return nil, false
	}
	return e.error, true
}
