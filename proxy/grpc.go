package proxy

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stanch-go/stanch/outcome"
)

// isGRPC reports whether a request is a gRPC call, by its content type.
func isGRPC(h http.Header) bool {
	rest, ok := strings.CutPrefix(h.Get("Content-Type"), "application/grpc")
	return ok && (rest == "" || rest[0] == '+' || rest[0] == ';')
}

// The gRPC status codes that are used.
const (
	grpcDeadline    = 4
	grpcPermission  = 7
	grpcExhausted   = 8
	grpcInternal    = 13
	grpcUnavailable = 14
)

// judge judges an answer to a gRPC call that has no more than trailers, which
// net/http gives as a header: the form in which servers tell of failures. The
// status of other answers comes when their body has passed, and is the client's.
func judge(resp *http.Response) (outcome.Verdict, bool) {
	status := resp.Header.Get("Grpc-Status")
	if status == "" || !isGRPC(resp.Header) {
		return outcome.Verdict{}, false
	}
	switch status {
	case "2", "4", "13", "15": // unknown, deadline exceeded, internal, data loss
		return outcome.Verdict{Outcome: outcome.Failure}, true
	case "8", "14": // resource exhausted, unavailable
		return outcome.Verdict{Outcome: outcome.Failure, Retry: true}, true
	}
	return outcome.Verdict{}, true
}

// refuseGRPC answers in the form of gRPC: trailers and nothing else, which net/http
// sends as a header that ends the stream.
func refuseGRPC(w http.ResponseWriter, p problem, after time.Duration) {
	h := w.Header()
	h.Set("Content-Type", "application/grpc")
	h.Set("Grpc-Status", strconv.Itoa(grpcStatus(p)))
	h.Set("Grpc-Message", percent(p.Detail))
	if after > 0 {
		h.Set("Grpc-Retry-Pushback-Ms", strconv.FormatInt(after.Milliseconds(), 10))
	}
	w.WriteHeader(http.StatusOK)
}

func grpcStatus(p problem) int {
	switch p.Status {
	case http.StatusGatewayTimeout, http.StatusRequestTimeout:
		return grpcDeadline
	case http.StatusForbidden:
		return grpcPermission
	case http.StatusTooManyRequests, http.StatusRequestEntityTooLarge:
		return grpcExhausted
	case http.StatusBadRequest:
		return grpcInternal
	}
	return grpcUnavailable
}

// percent writes a text as the gRPC protocol asks for messages: printable ASCII
// as it is, all else and the percent sign encoded.
func percent(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c >= ' ' && c <= '~' && c != '%' {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}

func isEventStream(h http.Header) bool {
	return strings.HasPrefix(h.Get("Content-Type"), "text/event-stream")
}
