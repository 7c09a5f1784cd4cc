package outcome_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"testing"

	"github.com/stanch-go/stanch/outcome"
)

func TestStatus(t *testing.T) {
	want := func(code int) outcome.Verdict {
		switch code {
		case 408, 429, 500, 502, 503, 504:
			return again
		}
		if code >= 100 && code < 500 {
			return success
		}
		return failure
	}
	for code := -1; code <= 1000; code++ {
		if got := outcome.Status(code); got != want(code) {
			t.Errorf("Status(%d) = %+v, want %+v", code, got, want(code))
		}
	}
}

func TestIdempotentMethod(t *testing.T) {
	for method, want := range map[string]bool{
		"": true, "GET": true, "HEAD": true, "PUT": true, "DELETE": true, "OPTIONS": true, "TRACE": true,
		"POST": false, "PATCH": false, "CONNECT": false, "get": false, "QUERY": false,
	} {
		if got := outcome.IdempotentMethod(method); got != want {
			t.Errorf("IdempotentMethod(%q) = %v, want %v", method, got, want)
		}
	}
}

func TestNeverSent(t *testing.T) {
	dial := op("dial", syscall.ECONNREFUSED)
	read := op("read", syscall.ECONNREFUSED)
	for _, c := range []struct {
		name string
		err  error
		want bool
	}{
		{"nil", nil, false},
		{"unknown", errPlain, false},
		{"dial refused", dial, true},
		{"dial timed out", op("dial", context.DeadlineExceeded), true},
		{"name not resolved", op("dial", &net.DNSError{IsTimeout: true}), true},
		{"name not resolved, bare", &net.DNSError{}, true},
		{"proxy not reached", op("proxyconnect", dial), true},
		{"wrapped and marked", outcome.Retryable(fmt.Errorf("w: %w", dial)), true},
		{"deadline", context.DeadlineExceeded, false},
		{"reset on read", op("read", syscall.ECONNRESET), false},
		{"refused on read, after a datagram left", read, false},
		{"reset on write, after some of it left", op("write", syscall.ECONNRESET), false},
		{"TLS alert, perhaps after the request", op("remote error", errPlain), false},
		{"two dials", errors.Join(dial, dial), true},
		{"a dial and a read", errors.Join(dial, read), false},
		{"client that may have followed a redirect", get(dial), false},
	} {
		if got := outcome.NeverSent(c.err); got != c.want {
			t.Errorf("%s: NeverSent(%v) = %v, want %v", c.name, c.err, got, c.want)
		}
	}
}
