// Package answer writes what refusals over HTTP have in common, whoever refuses.
package answer

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The gRPC status codes that are used.
const (
	GRPCDeadline    = 4
	GRPCPermission  = 7
	GRPCExhausted   = 8
	GRPCInternal    = 13
	GRPCUnavailable = 14
)

// IsGRPC reports whether a message is one of gRPC, by its content type.
func IsGRPC(h http.Header) bool {
	values := h["Content-Type"]
	if len(values) == 0 {
		return false
	}
	rest, ok := strings.CutPrefix(values[0], "application/grpc")
	return ok && (rest == "" || rest[0] == '+' || rest[0] == ';')
}

// IsEventStream reports whether an answer is a stream of server-sent events.
func IsEventStream(h http.Header) bool {
	values := h["Content-Type"]
	return len(values) > 0 && strings.HasPrefix(values[0], "text/event-stream")
}

// GRPCFailed reports whether the status of gRPC says that the server could not,
// rather than would not.
func GRPCFailed(status string) bool {
	switch status {
	case "2", "4", "8", "13", "14", "15": // unknown, deadline, exhausted, internal, unavailable, data loss
		return true
	}
	return false
}

// Percent writes a text as the gRPC protocol asks for messages: printable ASCII
// as it is, all else and the percent sign encoded.
func Percent(s string) string {
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

// WriteGRPC writes a status in the form of gRPC: trailers and nothing else, which
// net/http sends as a header that ends the stream.
func WriteGRPC(w http.ResponseWriter, status, message []string, after time.Duration) {
	h := w.Header()
	h["Content-Type"] = grpcType
	h["Grpc-Status"] = status
	h["Grpc-Message"] = message
	if after > 0 {
		h.Set("Grpc-Retry-Pushback-Ms", strconv.FormatInt(after.Milliseconds(), 10))
	}
	w.WriteHeader(http.StatusOK)
}

var grpcType = []string{"application/grpc"}

// RetryAfter is the value of the header: whole seconds, rounded up. It is nil if
// after is not positive. It must not be changed.
func RetryAfter(after time.Duration) []string {
	if after <= 0 {
		return nil
	}
	n := Seconds(after)
	if n < int64(len(common)) {
		return common[n][:]
	}
	return []string{strconv.FormatInt(n, 10)}
}

// Seconds rounds up.
func Seconds(d time.Duration) int64 {
	n := int64(d / time.Second)
	if d%time.Second > 0 {
		n++
	}
	return n
}

// common are the values that nearly all answers have.
var common = func() (all [128][1]string) {
	for i := range all {
		all[i][0] = strconv.Itoa(i)
	}
	return all
}()
