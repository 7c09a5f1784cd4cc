package stanchhttp

import (
	"context"
	"net/http"
	"time"

	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/internal/answer"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/shed"
)

// InboundOptions say how a handler of [Inbound] reads requests and answers them.
// The zero value is a good choice.
type InboundOptions struct {
	// Tenant and User are the headers that name who pays for a request, and for
	// whom it is. Believe them only from services of one's own, or set them where
	// the request was authenticated. Of a value longer than 64 bytes its hash is
	// used. Default none.
	Tenant, User string
	// TrustForwarded takes the last entry of X-Forwarded-For for the address of the
	// client: only behind a proxy of one's own that writes it. Default false: the
	// address is that of the connection.
	TrustForwarded bool
	// MaxDeadline is the most time that a caller may claim. Default
	// deadline.DefaultMax.
	MaxDeadline time.Duration
	// Streams leaves the end of the request's time out of the context, for handlers
	// that bound the time to the header of the answer themselves, as proxies do: see
	// [AdmissionOf]. Default false.
	Streams bool
	// Mark changes the header of a refusal before it is written. It must be safe for
	// concurrent use. Default none.
	Mark func(h http.Header, r *http.Request)
	// Report is told of malformed headers. It must be safe for concurrent use.
	// Default none.
	Report func(error)
}

// Inbound hands those requests to next that control admits, and answers the
// others itself: early, without reading their bodies, and saying why.
//
// Refused is with 429 what asks too often, with 503 what there is no room for,
// and with 504 what has no time left. The answer says so in Stanch-Refused, by
// the reason's label, and in its body: application/problem+json (RFC 9457) where
// the client takes it, else a line of text; a gRPC call gets the statuses 8, 14
// and 4. Retry-After is in whole seconds. A request whose client left while it
// waited is not answered.
//
// Every answer to a request that came to a limit or a quota has the headers
// RateLimit-Policy and RateLimit of draft-ietf-httpapi-ratelimit-headers, unless
// next set one of them.
//
// A request that is admitted has its remaining time, the number of its caller's
// attempt and its priority in the context, as with [Handler], which is not needed
// besides. It keeps its place until next returns or panics, also where next has
// taken over the connection. What came of it is a failure if the status is 500 or
// above, next panicked or the time was over; it does not count if the client left,
// and neither does a stream of events or a connection that was taken over: their
// time says nothing of the load. Everything else is a success.
//
// The http.ResponseWriter that next gets can flush, be hijacked and be read from
// wherever the server's can. All requests share the handler, which is safe for
// concurrent use.
func Inbound(next http.Handler, control *inbound.Controller, options InboundOptions) http.Handler {
	options.Tenant, options.User = http.CanonicalHeaderKey(options.Tenant), http.CanonicalHeaderKey(options.User)
	return &intake{next: next, control: control, options: options, notices: noticesOf(control), policies: policiesOf(control)}
}

type intake struct {
	next     http.Handler
	control  *inbound.Controller
	options  InboundOptions
	notices  map[violation]*notice
	policies map[*inbound.Terms]policy
}

func (in *intake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ask, attempt := in.read(r)
	admission, err := in.control.Admit(r.Context(), ask)
	if err != nil {
		in.refuse(w, r, &admission, err)
		return
	}
	s := &served{in: in, request: r, admission: admission, attempt: attempt}
	s.Context = r.Context()
	if end, ok := admission.Deadline(); ok && !in.options.Streams {
		d := deadline.WithTimeout(s.Context, time.Until(end), nil)
		defer d.Cancel()
		s.Context = d
	}
	defer s.end()
	in.next.ServeHTTP(s.around(w), r.WithContext(s))
	s.returned = true
}

// served is a request that was admitted. It is the request's context.
type served struct {
	context.Context
	in        *intake
	request   *http.Request // as it came
	admission inbound.Admission
	attempt   int // of the caller; 0: not known
	out       full
	status    int // of the answer, 0 until it is written
	hijacked  bool
	returned  bool
}

type admissionKey struct{}

// Value answers for guarded calls what the request said of itself.
func (s *served) Value(key any) any {
	switch key.(type) {
	case admissionKey:
		return &s.admission
	case shed.PriorityKey:
		return s.admission.Priority()
	case deadline.AttemptKey:
		if s.attempt > 0 {
			return s.attempt
		}
	}
	return s.Context.Value(key)
}

// AdmissionOf returns the admission of the request whose context ctx is, nil if it
// came by no [Inbound]. It belongs to the goroutine that serves the request. Who
// calls its Done gives the place back early, and says what came of the work.
func AdmissionOf(ctx context.Context) *inbound.Admission {
	a, _ := ctx.Value(admissionKey{}).(*inbound.Admission)
	return a
}

// end runs whatever ended the handler.
func (s *served) end() {
	if s.returned && s.status == 0 && !s.hijacked {
		s.announce() // net/http writes the header now
		s.status = http.StatusOK
	}
	s.admission.Done(s.outcome())
}

// outcome is what the work says of the load.
func (s *served) outcome() outcome.Outcome {
	h := s.out.ResponseWriter.Header()
	switch {
	case s.request.Context().Err() == context.Canceled:
		return outcome.Ignored // the client left
	case !s.returned || s.status >= http.StatusInternalServerError || s.Err() != nil:
		return outcome.Failure
	case s.hijacked || answer.IsEventStream(h):
		return outcome.Ignored
	case answer.IsGRPC(h) && answer.GRPCFailed(grpcStatus(h)):
		return outcome.Failure
	}
	return outcome.Success
}

// grpcStatus is the status of gRPC, wherever the handler wrote it.
func grpcStatus(h http.Header) string {
	if status := h.Get("Grpc-Status"); status != "" {
		return status
	}
	return h.Get(http.TrailerPrefix + "Grpc-Status")
}
