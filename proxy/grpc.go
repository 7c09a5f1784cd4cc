package proxy

import (
	"net/http"
	"strconv"

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
	if !answer.GRPCFailed(status) {
		return outcome.Verdict{}, true
	}
	retry := status == strconv.Itoa(answer.GRPCExhausted) || status == strconv.Itoa(answer.GRPCUnavailable)
	return outcome.Verdict{Outcome: outcome.Failure, Retry: retry}, true
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
