package outcome_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stanch-go/stanch/outcome"
)

var (
	success = outcome.Verdict{Outcome: outcome.Success}
	failure = outcome.Verdict{Outcome: outcome.Failure}
	again   = outcome.Verdict{Outcome: outcome.Failure, Retry: true}
	ignored = outcome.Verdict{Outcome: outcome.Ignored}
)

var errPlain = errors.New("plain")

func op(name string, err error) error {
	return &net.OpError{Op: name, Net: "tcp", Err: err}
}

func get(err error) error {
	return &url.Error{Op: "Get", URL: "http://localhost", Err: err}
}

func TestClassify(t *testing.T) {
	refused := os.NewSyscallError("connect", syscall.ECONNREFUSED)
	for _, c := range []struct {
		name string
		err  error
		want outcome.Verdict
	}{
		{"nil", nil, success},
		{"unknown", errPlain, failure},

		{"cancelled", context.Canceled, ignored},
		{"cancelled while dialling", get(op("dial", context.Canceled)), ignored},
		{"deadline", context.DeadlineExceeded, again},
		{"deadline of a connection", op("read", os.ErrDeadlineExceeded), again},
		{"timeout under a wrapper that denies it", get(fmt.Errorf("%w", os.ErrDeadlineExceeded)), again},
		{"timeout among joined", errors.Join(errPlain, context.DeadlineExceeded), again},

		{"refused", op("dial", refused), again},
		{"refused through an HTTP client", get(op("dial", refused)), again},
		{"proxy refused", op("proxyconnect", op("dial", refused)), again},
		{"bare refused", syscall.ECONNREFUSED, again},
		{"reset", op("read", os.NewSyscallError("read", syscall.ECONNRESET)), again},
		{"bare reset", fmt.Errorf("x: %w", syscall.ECONNRESET), again},
		{"aborted", syscall.ECONNABORTED, again},
		{"broken pipe", op("write", syscall.EPIPE), again},
		{"bare broken pipe", syscall.EPIPE, again},
		{"other errno", syscall.EACCES, failure},
		{"answer cut off", io.ErrUnexpectedEOF, again},
		{"closed before the answer", get(io.EOF), again},
		{"closed before the answer, bare", io.EOF, again},

		{"name server busy", op("dial", &net.DNSError{IsTemporary: true}), again},
		{"name server slow", op("dial", &net.DNSError{IsTimeout: true}), again},
		{"no such name", op("dial", &net.DNSError{IsNotFound: true}), failure},
		{"no such name, bare", &net.DNSError{IsNotFound: true}, failure},
		{"bad address", op("dial", &net.AddrError{Err: "missing port"}), failure},
		{"bad network", op("dial", net.UnknownNetworkError("tpc")), failure},

		{"TLS alert", op("remote error", tls.AlertError(42)), failure},
		{"JSON syntax", json.Unmarshal([]byte("{"), new(int)), failure},
		{"JSON type", json.Unmarshal([]byte(`"a"`), new(int)), failure},
		//lint:ignore SA1007 it is to be wrong
		{"URL", func() error { _, err := url.Parse("http://[::1"); return err }(), failure},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := outcome.Classify(c.err); got != c.want {
				t.Errorf("Classify(%v) = %+v, want %+v", c.err, got, c.want)
			}
			wrapped := fmt.Errorf("outer: %w", c.err)
			if c.err != nil && outcome.Classify(wrapped) != c.want {
				t.Errorf("Classify(%v) = %+v, want %+v", wrapped, outcome.Classify(wrapped), c.want)
			}
		})
	}
}

// The errors that a real client returns, not only the ones we think it returns.
func TestClassifyRealErrors(t *testing.T) {
	certified := httptest.NewUnstartedServer(http.NotFoundHandler())
	certified.Config.ErrorLog = log.New(io.Discard, "", 0) // the handshake is to fail
	certified.StartTLS()
	defer certified.Close()
	hangup := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		panic(http.ErrAbortHandler)
	}))
	defer hangup.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()

	for _, c := range []struct {
		name, url string
		want      outcome.Verdict
		neverSent bool
	}{
		{"certificate of an unknown authority", certified.URL, failure, false},
		{"connection closed without an answer", hangup.URL, again, false},
		{"nobody listens", gone.URL, again, true},
		{"unknown scheme", "htp://localhost", failure, false},
		{"port out of range", "http://localhost:99999", failure, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url, nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := http.DefaultTransport.RoundTrip(req)
			if err == nil {
				resp.Body.Close()
				t.Fatal("no error")
			}
			if got := outcome.Classify(err); got != c.want {
				t.Errorf("Classify(%#v) = %+v, want %+v", err, got, c.want)
			}
			if got := outcome.NeverSent(err); got != c.neverSent {
				t.Errorf("NeverSent(%#v) = %v, want %v", err, got, c.neverSent)
			}
			if _, err = http.DefaultClient.Do(req); outcome.Classify(err) != c.want {
				t.Errorf("through a client: Classify(%#v) = %+v, want %+v", err, outcome.Classify(err), c.want)
			}
		})
	}
}

func TestMarks(t *testing.T) {
	for name, c := range map[string]struct {
		mark func(error) error
		want outcome.Verdict
	}{
		"Retryable": {outcome.Retryable, again},
		"Permanent": {outcome.Permanent, failure},
		"Answer":    {outcome.Answer, success},
		"Excluded":  {outcome.Excluded, ignored},
		"After": {
			func(err error) error { return outcome.After(err, time.Second) },
			outcome.Verdict{Outcome: outcome.Failure, Retry: true, After: time.Second, HasAfter: true},
		},
		"After, negative": {
			func(err error) error { return outcome.After(err, -time.Second) },
			outcome.Verdict{Outcome: outcome.Failure, Retry: true, HasAfter: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if c.mark(nil) != nil {
				t.Error("nil did not stay nil")
			}
			// Both say otherwise by themselves.
			for _, cause := range []error{errPlain, context.Canceled, syscall.ECONNRESET} {
				err := c.mark(cause)
				if got := outcome.Classify(err); got != c.want {
					t.Errorf("verdict %+v, want %+v", got, c.want)
				}
				if !errors.Is(err, cause) || err.Error() != cause.Error() {
					t.Errorf("%v does not hold and print as its cause %v", err, cause)
				}
			}
		})
	}
}

func TestOutermostMarkDecides(t *testing.T) {
	inner := outcome.Permanent(errPlain)
	if got := outcome.Classify(outcome.Retryable(fmt.Errorf("w: %w", inner))); got != again {
		t.Errorf("got %+v, want the outer mark's %+v", got, again)
	}
	if got := outcome.Classify(errors.Join(syscall.EPIPE, inner, outcome.Retryable(errPlain))); got != failure {
		t.Errorf("got %+v, want the first mark's %+v", got, failure)
	}
}

type teapot struct{ error }

func (teapot) Verdict() outcome.Verdict { return success }

func TestErrorThatKnowsItsVerdict(t *testing.T) {
	if got := outcome.Classify(fmt.Errorf("w: %w", teapot{context.Canceled})); got != success {
		t.Errorf("got %+v, want %+v", got, success)
	}
}

func TestClassifyDoesNotAllocate(t *testing.T) {
	for _, err := range []error{
		nil, errPlain, outcome.Permanent(errPlain), context.DeadlineExceeded, get(op("dial", syscall.ECONNREFUSED)),
	} {
		if n := testing.AllocsPerRun(100, func() { outcome.Classify(err) }); n != 0 {
			t.Errorf("Classify(%v) allocates %v times", err, n)
		}
	}
}

func BenchmarkClassify(b *testing.B) {
	for name, err := range map[string]error{
		"nil": nil, "unknown": errPlain, "marked": outcome.Permanent(errPlain),
		"refused": get(op("dial", syscall.ECONNREFUSED)),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				outcome.Classify(err)
			}
		})
	}
}
