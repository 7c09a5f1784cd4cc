package proxy

import (
	"net/http"
	"strings"

	"github.com/stanch-go/stanch/internal/answer"
	"github.com/stanch-go/stanch/outcome"
)

// judge judges an answer to a gRPC call that has no more than trailers, which
// net/http gives as a header: the form in which servers tell of failures. The
// status of other answers comes when their body has passed, and is the client's.
func judge(resp *http.Response) (outcome.Verdict, bool) {
	status := resp.Header.Get("Grpc-Status")
	if status == "" || !answer.IsGRPC(resp.Header) {
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

func grpcStatus(p problem) int {
	switch p.Status {
	case http.StatusGatewayTimeout, http.StatusRequestTimeout:
		return answer.GRPCDeadline
	case http.StatusForbidden:
		return answer.GRPCPermission
	case http.StatusTooManyRequests, http.StatusRequestEntityTooLarge:
		return answer.GRPCExhausted
	case http.StatusBadRequest:
		return answer.GRPCInternal
	}
	return answer.GRPCUnavailable
}

func isEventStream(h http.Header) bool {
	return strings.HasPrefix(h.Get("Content-Type"), "text/event-stream")
}
