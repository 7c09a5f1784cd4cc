package bench

import (
	"io"
	"net/http"
	"testing"

	"github.com/cristalhq/hedgedhttp"
	"github.com/failsafe-go/failsafe-go"
	failsafebulkhead "github.com/failsafe-go/failsafe-go/bulkhead"
	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"github.com/failsafe-go/failsafe-go/timeout"
	"github.com/hashicorp/go-retryablehttp"

	"github.com/stanch-go/stanch/stanchhttp"
)

// inMemory is a transport that answers from memory, so that only what stands
// around it is measured.
type inMemory struct {
	name string
	body io.ReadCloser
}

func (m inMemory) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: m.body, Request: r}, nil
}

// answers are those of the transports in memory.
var answers = []inMemory{{"no-body", http.NoBody}, {"body", nothing{}}}

// nothing is a body of no bytes that is not http.NoBody, of which it is known
// that nothing can come.
type nothing struct{}

func (nothing) Read([]byte) (int, error) { return 0, io.EOF }
func (nothing) Close() error             { return nil }

// failsafeHTTP has the three policies of its documentation.
func failsafeHTTP(base http.RoundTripper) http.RoundTripper {
	return failsafehttp.NewRoundTripper(base,
		failsafehttp.NewRetryPolicyBuilder().WithMaxAttempts(attempts).WithBackoff(backoffBase, backoffCap).WithJitterFactor(0.5).Build(),
		failsafeBreaker[*http.Response](never),
		timeout.New[*http.Response](attemptTimeout),
	)
}

// failsafeHTTPAll has as many as Stanch.
func failsafeHTTPAll(base http.RoundTripper) http.RoundTripper {
	return failsafehttp.NewRoundTripper(base, []failsafe.Policy[*http.Response]{
		failsafehttp.NewRetryPolicyBuilder().WithMaxAttempts(attempts).WithBackoff(backoffBase, backoffCap).WithJitterFactor(0.5).Build(),
		failsafeBreaker[*http.Response](never),
		failsafebulkhead.NewBuilder[*http.Response](places).WithMaxWaitTime(maxWait).Build(),
		timeout.New[*http.Response](attemptTimeout),
	}...)
}

func retryable(base http.RoundTripper) *retryablehttp.Client {
	c := retryablehttp.NewClient()
	c.HTTPClient = &http.Client{Transport: base, Timeout: attemptTimeout}
	c.Logger, c.RetryMax, c.RetryWaitMin, c.RetryWaitMax = nil, attempts-1, backoffBase, backoffCap
	return c
}

func get(b *testing.B) *http.Request {
	r := must(http.NewRequestWithContext(caller(b), "GET", "http://shop/", nil))
	r.Header.Set("Accept", "application/json")
	return r
}

// RoundTripper is a transport around one in memory, whose answer is read to its
// end.
func BenchmarkRoundTripper(b *testing.B) {
	for _, base := range answers {
		b.Run(base.name, func(b *testing.B) {
			var all []contender
			for _, t := range []struct {
				who string
				http.RoundTripper
			}{
				{"bare", base},
				{"stanch", stanchhttp.New(everything(), base, stanchhttp.Options{})},
				{"stanch/no-headers", stanchhttp.New(everything(), base, stanchhttp.Options{OmitHeaders: true})},
				{"failsafe/3-policies", failsafeHTTP(base)},
				{"failsafe/4-policies", failsafeHTTPAll(base)},
				{"retryablehttp", &retryablehttp.RoundTripper{Client: retryable(base)}},
				{"hedgedhttp", must(hedgedhttp.NewRoundTripper(attemptTimeout, 2, base))},
			} {
				r := get(b)
				all = append(all, contender{t.who, func() bool { return read(t.RoundTrip(r)) }})
			}
			both(b, all)
		})
	}
}

// Client is a whole http.Client, once with the standard library's only limit and
// once with all of Stanch.
func BenchmarkClient(b *testing.B) {
	for _, base := range answers {
		b.Run(base.name, func(b *testing.B) {
			var all []contender
			for _, c := range []struct {
				who string
				*http.Client
			}{
				{"without-timeout", &http.Client{Transport: base}},
				{"timeout", &http.Client{Transport: base, Timeout: attemptTimeout}},
				{"stanch", &http.Client{Transport: stanchhttp.New(everything(), base, stanchhttp.Options{})}},
				{"failsafe/3-policies", &http.Client{Transport: failsafeHTTP(base)}},
			} {
				r := get(b)
				all = append(all, contender{c.who, func() bool { return read(c.Do(r)) }})
			}
			both(b, all)
		})
	}
}

// read reads an answer to its end.
func read(resp *http.Response, err error) bool {
	if err != nil {
		return false
	}
	var one [8]byte
	_, err = resp.Body.Read(one[:])
	resp.Body.Close()
	return err == io.EOF
}
