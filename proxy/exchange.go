package proxy

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/fallback"
	"github.com/stanch-go/stanch/internal/answer"
	"github.com/stanch-go/stanch/stanchhttp"
)

// An exchange is one request of a client and its answer. It is the context of
// the request, so that all who work on it find it.
type exchange struct {
	context.Context
	route   *route
	to      target
	writer  writer  // of the answer to the client
	start   int     // of the dependency's URLs, the one to begin with
	body    *replay // of the request; nil when there is none
	grpc    bool
	streams bool      // the client expects an answer without an end
	end     time.Time // until when the client waits for the header, if it has said so
	layer   int       // which attempt of the client this is, counted from 1; 0: not known
	number  int       // attempts begun

	request *http.Request // as it is sent
	source  string        // of the answer
	cause   error         // why it is not live
	answer  *http.Response
}

type exchangeKey struct{}

// Value finds the exchange, and for guarded calls the client's attempt.
func (x *exchange) Value(key any) any {
	switch key.(type) {
	case exchangeKey:
		return x
	case deadline.AttemptKey:
		return x.layer
	}
	return x.Context.Value(key)
}

func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// forward serves one request.
func (r *route) forward(w http.ResponseWriter, req *http.Request, to target) {
	x := &exchange{Context: req.Context(), route: r, to: to, start: r.first(to.index), source: fallback.Live}
	x.read(req.Header)
	r.enter()
	defer r.leave()
	r.life.inFlight.Add(1)
	defer r.life.inFlight.Add(-1)
	defer x.close()
	x.writer = writer{ResponseWriter: w, idle: r.proxy.options.ClientIdle}
	w = &x.writer
	if err := x.take(w, req); err != nil {
		r.failed(w, req.WithContext(x), err)
		return
	}
	r.forwarder.ServeHTTP(w, req.WithContext(x))
}

// read takes what the client says of its time and of what it expects. What is
// malformed counts as not said.
func (x *exchange) read(h http.Header) {
	limit := x.route.dep.Timeout.Max
	if limit == 0 {
		limit = longest
	}
	if left, ok, _ := deadline.Read(h, limit); ok {
		x.end = time.Now().Add(left)
	}
	if a := stanchhttp.AdmissionOf(x.Context); a != nil {
		x.end, _ = a.Deadline() // from when the request came
	}
	if n, ok, _ := deadline.ReadAttempt(h); ok {
		x.layer = n
	}
	x.grpc = answer.IsGRPC(h)
	x.streams = h.Get("Upgrade") != "" || strings.Contains(h.Get("Accept"), "text/event-stream")
}

// close ends what httputil.ReverseProxy leaves behind when it gives up.
func (x *exchange) close() {
	if x.body != nil {
		x.body.Close()
	}
	if x.answer != nil && x.answer.Body != nil {
		x.answer.Body.Close()
	}
}

// RoundTrip makes the guarded call, with its alternatives.
func (r *route) RoundTrip(req *http.Request) (*http.Response, error) {
	x := exchangeOf(req.Context())
	via := r.plain
	if x.grpc && req.URL.Scheme == "http" {
		via = r.h2c
	}
	x.request = req
	call := req
	if !x.end.IsZero() {
		ctx, cancel := stanchhttp.WithDeadline(req.Context(), x.end)
		defer cancel()
		call = req.WithContext(ctx)
	}
	answer, err := via.Ask(call, r.answers.to(req)...)
	if err != nil {
		return nil, err
	}
	x.source, x.cause, x.answer = answer.Source, answer.Cause, answer.Value
	answer.Value.Request = req
	if answer.Source == fallback.Live {
		r.answers.keep(req, answer.Value)
	}
	return answer.Value, nil
}

// buffers are what bodies are copied through.
type buffers struct{}

const bufferSize = 32 << 10

var pool = sync.Pool{New: func() any { return new([bufferSize]byte) }}

func (buffers) Get() []byte  { return pool.Get().(*[bufferSize]byte)[:] }
func (buffers) Put(b []byte) { pool.Put((*[bufferSize]byte)(b)) }
