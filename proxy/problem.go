package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/internal/answer"
)

// A problem is an answer that the proxy gives itself, RFC 9457.
type problem struct {
	Title      string `json:"title"`
	Status     int    `json:"status"`
	Detail     string `json:"detail"`
	Dependency string `json:"dependency,omitempty"`
	// Reason is that of Stanch-Refused, or another word: timeout, unreachable,
	// undeclared, client.
	Reason   string  `json:"reason"`
	Attempts int     `json:"attempts"`
	After    float64 `json:"retry_after,omitempty"` // seconds
	refused  string  // the value of Stanch-Refused
}

// Words of the proxy's own for why there is no answer.
const (
	reasonTimeout     = "timeout"
	reasonUnreachable = "unreachable"
	reasonUndeclared  = "undeclared"
	reasonLoop        = "loop"
	reasonClient      = "client"
)

// failed answers for a dependency that did not. It says nothing of the error
// itself, which may tell of things that are not the client's business.
func (r *route) failed(w http.ResponseWriter, req *http.Request, err error) {
	x := exchangeOf(req.Context())
	if _, ok := clientFault(err); !ok && req.Context().Err() != nil {
		panic(http.ErrAbortHandler) // there is nobody to answer; a 200 without a body would be a lie
	}
	p := r.problem(x, err)
	if p.Status >= 500 && r.proxy.options.Log.Enabled(req.Context(), levelRequest) {
		r.proxy.options.Log.Log(req.Context(), levelRequest, "no answer", "dependency", r.name, "reason", p.Reason, "attempts", x.number, "error", err)
	}
	r.proxy.answer(w, req, p)
}

func (r *route) problem(x *exchange, err error) problem {
	p := problem{Dependency: r.name, Attempts: x.number}
	if fault, ok := clientFault(err); ok {
		p.Status, p.Detail = faultOf(fault)
		p.Reason = reasonClient
		return p
	}
	refusal, refused := errors.AsType[*stanch.Refusal](err)
	switch {
	case refused && x.number == 0:
		p.Status, p.Reason, p.Detail = statusOf(refusal.Reason), refusal.Reason.Label(), "Not asked: "+words(refusal.Reason)
	case isTimeout(err):
		p.Status, p.Reason, p.Detail = http.StatusGatewayTimeout, reasonTimeout, "No answer in the time that there was"
	default:
		p.Status, p.Reason, p.Detail = http.StatusBadGateway, reasonUnreachable, "No answer"
	}
	if refused {
		p.refused, p.After = refusal.Reason.Label(), refusal.RetryAfter.Seconds()
		if x.number > 0 {
			p.Detail += "; not asked again: " + words(refusal.Reason)
		}
	}
	p.Detail = fmt.Sprintf("%s: %s.", r.name, p.Detail)
	return p
}

func words(r stanch.Reason) string { return r.Error()[len("stanch: "):] }

func statusOf(r stanch.Reason) int {
	switch r {
	case stanch.ErrRateLimited:
		return http.StatusTooManyRequests
	case stanch.ErrDeadline:
		return http.StatusGatewayTimeout
	}
	return http.StatusServiceUnavailable
}

// isTimeout reports whether the last that happened to the dependency is that the
// time was up.
func isTimeout(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	t, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	return ok && t.Timeout()
}

// faultOf says what a client did wrong.
func faultOf(fault error) (status int, detail string) {
	if _, ok := errors.AsType[*http.MaxBytesError](fault); ok {
		return http.StatusRequestEntityTooLarge, "The body of the request is too large."
	}
	if fault == errStalled || errors.Is(fault, os.ErrDeadlineExceeded) {
		return http.StatusRequestTimeout, "The body of the request did not come in time."
	}
	return http.StatusBadRequest, "The body of the request cannot be read."
}

// answer writes a problem, in the way that the client understands.
func (p *Proxy) answer(w http.ResponseWriter, req *http.Request, pr problem) {
	if pr.Title == "" {
		pr.Title = http.StatusText(pr.Status)
	}
	h := w.Header()
	clear(h)
	h.Set(HeaderAttempts, strconv.Itoa(pr.Attempts))
	if pr.refused != "" {
		h.Set(HeaderRefused, pr.refused)
	}
	h.Set("Via", protocol(req)+" "+p.via)
	h.Set("Cache-Control", "no-store")
	after := time.Duration(pr.After * float64(time.Second))
	if answer.IsGRPC(req.Header) {
		answer.WriteGRPC(w, []string{strconv.Itoa(grpcStatus(pr))}, []string{answer.Percent(pr.Detail)}, after)
		return
	}
	if v := answer.RetryAfter(after); v != nil {
		h["Retry-After"] = v
	}
	if req.ProtoMajor == 1 && (pr.Reason == reasonClient || p.drains.Load()) {
		h.Set("Connection", "close") // what follows may not be a request
	}
	body, err := json.Marshal(pr)
	if err != nil {
		panic(err) // it is all words and numbers
	}
	h.Set("Content-Type", "application/problem+json")
	h.Set("Content-Length", strconv.Itoa(len(body)+1))
	w.WriteHeader(pr.Status)
	w.Write(append(body, '\n')) // a client that is gone needs no answer
}
