package proxy

import (
	"net/http"
	"strconv"
	"strings"
	"time"
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
