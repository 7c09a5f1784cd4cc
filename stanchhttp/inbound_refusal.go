package stanchhttp

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/internal/answer"
	"github.com/stanch-go/stanch/quota"
)

// HeaderRefused is the header that says why a guard did not do what was asked:
// the label of a stanch.Reason.
const HeaderRefused = "Stanch-Refused"

// A violation is why a request is refused, and by which limit.
type violation struct {
	reason stanch.Reason
	by     string
	failed bool // the store of a quota did
}

// A notice is the answer to a violation, written beforehand: to refuse must cost
// little.
type notice struct {
	status               int
	refused              []string // headers
	grpcStatus, grpcText []string
	json, text           written
}

type written struct {
	bytes        []byte
	kind, length []string // headers
}

var noStore = []string{"no-store"}

// noticesOf returns the notices of all that may happen to a request.
func noticesOf(control *inbound.Controller) map[violation]*notice {
	m := map[violation]*notice{}
	for _, r := range []stanch.Reason{stanch.ErrDeadline, stanch.ErrShed, stanch.ErrBulkheadFull, stanch.ErrQueueTimeout} {
		v := violation{reason: r}
		m[v] = v.notice()
	}
	for _, l := range control.Config().Limits {
		v := violation{reason: stanch.ErrRateLimited, by: l.Name}
		m[v] = v.notice()
	}
	for _, q := range control.Config().Quotas {
		v := violation{reason: stanch.ErrQuota, by: q.Name}
		m[v] = v.notice()
		failed := violation{v.reason, v.by, true}
		m[failed] = m[v] // a share of the quota is spent
		if q.OnFailure == quota.FailClosed {
			m[failed] = failed.notice()
		}
	}
	return m
}

// The types of problems that the draft registers.
const (
	typeQuota    = "https://iana.org/assignments/http-problem-types#quota-exceeded"
	typeCapacity = "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity"
)

// A problem is the body of a refusal, RFC 9457.
type problem struct {
	Type     string   `json:"type,omitempty"`
	Title    string   `json:"title"`
	Status   int      `json:"status"`
	Detail   string   `json:"detail"`
	Reason   string   `json:"reason"`
	Violated []string `json:"violated-policies,omitempty"`
}

func (v violation) notice() *notice {
	p := problem{Type: typeCapacity, Title: "Too much is asked of the service now", Status: http.StatusServiceUnavailable, Reason: v.reason.Label()}
	grpc := answer.GRPCUnavailable
	switch {
	case v.failed:
		p.Detail = "The quota cannot be looked up now, and nothing is admitted without it."
	case v.reason == stanch.ErrRateLimited || v.reason == stanch.ErrQuota:
		p.Type, p.Title, p.Status, grpc = typeQuota, "Too many requests", http.StatusTooManyRequests, answer.GRPCExhausted
		p.Detail = "As many requests as the limit allows in this time were made."
	case v.reason == stanch.ErrDeadline:
		p.Type, p.Title, p.Status, grpc = "", "The time is over", http.StatusGatewayTimeout, answer.GRPCDeadline
		p.Detail = "The time that is left does not allow to begin."
	case v.reason == stanch.ErrShed:
		p.Detail = "Others are more important while the load is high."
	case v.reason == stanch.ErrBulkheadFull:
		p.Detail = "As many requests as can be worked on are, and as many as may wait do."
	default:
		p.Detail = "No place became free in time."
	}
	if v.by != "" {
		p.Violated = []string{v.by}
	}
	data, err := json.Marshal(p)
	if err != nil {
		panic(err) // it is all words and numbers
	}
	return &notice{
		status: p.Status, refused: []string{p.Reason},
		grpcStatus: []string{strconv.Itoa(grpc)}, grpcText: []string{answer.Percent(p.Title + ": " + p.Detail)},
		json: newWritten("application/problem+json", append(data, '\n')),
		text: newWritten("text/plain; charset=utf-8", []byte(p.Title+": "+p.Detail+"\n")),
	}
}

func newWritten(kind string, data []byte) written {
	return written{data, []string{kind}, []string{strconv.Itoa(len(data))}}
}

// refuse answers a request that was not admitted.
func (in *intake) refuse(w http.ResponseWriter, r *http.Request, a *inbound.Admission, err error) {
	refusal, ok := errors.AsType[*stanch.Refusal](err)
	if !ok {
		panic(http.ErrAbortHandler) // the client left; a 200 without a body would be a lie
	}
	n := in.notices[violation{refusal.Reason, a.By(), refusal.Reason == stanch.ErrQuota && refusal.Cause != nil}]
	h := w.Header()
	in.announce(h, a)
	h[HeaderRefused] = n.refused
	h["Cache-Control"] = noStore
	if in.options.Mark != nil {
		in.options.Mark(h, r)
	}
	if answer.IsGRPC(r.Header) {
		answer.WriteGRPC(w, n.grpcStatus, n.grpcText, refusal.RetryAfter)
		return
	}
	if r.ContentLength != 0 && r.ProtoMajor == 1 {
		defer unread(w, r)()
	}
	if after := answer.RetryAfter(refusal.RetryAfter); after != nil {
		h["Retry-After"] = after
	}
	b := &n.json
	if !takesJSON(r.Header["Accept"]) {
		b = &n.text
	}
	h["Content-Type"], h["Content-Length"] = b.kind, b.length
	w.WriteHeader(n.status)
	w.Write(b.bytes) // a client that is gone needs no answer
}

// smallBody is what is read of a request that was refused, so that its connection
// can be used again, and bodyTime how long that may take.
const (
	smallBody = 64 << 10
	bodyTime  = 100 * time.Millisecond
)

// unread prepares the answer to a request whose body nobody has read. Left alone
// the server would read up to 256 KiB before it passes the answer on, for as long
// as that takes. What it returns is to be called after the answer.
func unread(w http.ResponseWriter, r *http.Request) func() {
	control := http.NewResponseController(w)
	small := r.ContentLength > 0 && r.ContentLength <= smallBody && r.Header["Expect"] == nil
	if !small || control.EnableFullDuplex() != nil {
		w.Header()["Connection"] = closed
		return func() {}
	}
	return func() {
		control.Flush()
		control.SetReadDeadline(time.Now().Add(bodyTime)) // the server sets it anew for what follows
		io.Copy(io.Discard, r.Body)                       // or the connection is closed
	}
}

var closed = []string{"close"}

// takesJSON reports whether a client takes a problem in JSON. One that says
// nothing does.
func takesJSON(accept []string) bool {
	return len(accept) == 0 || slices.ContainsFunc(accept, func(v string) bool {
		return strings.Contains(v, "json") || strings.Contains(v, "*/*") || strings.Contains(v, "application/*")
	})
}
