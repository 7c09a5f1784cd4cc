package outcome

import (
	"errors"
	"net"
	"net/url"
)

// Status returns the verdict on an HTTP answer by its status code.
//
//   - 408, 429, 500, 502, 503 and 504 are failures worth a retry.
//   - Every other 5xx is a failure not worth one: 501 will be 501 again.
//   - Everything else is a success: with a 404 or a 422 the dependency did its
//     work, and the same request gets the same answer.
//
// 429 is a failure although the dependency is healthy: the work was not done,
// and what counts failures is what makes this client call less. A code outside
// 100 to 599 is treated as a 5xx, as RFC 9110 section 15 asks.
func Status(code int) Verdict {
	switch code {
	case 408, 429, 500, 502, 503, 504:
		return Verdict{Outcome: Failure, Retry: true}
	}
	if code < 100 || code >= 500 {
		return Verdict{Outcome: Failure}
	}
	return Verdict{Outcome: Success}
}

// IdempotentMethod reports whether sending the request twice has the same
// effect as sending it once, by its method: RFC 9110 section 9.2.2. Methods are
// case-sensitive; "" is GET, as it is in net/http.
func IdempotentMethod(method string) bool {
	switch method {
	case "", "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE":
		return true
	}
	return false
}

// NeverSent reports whether err proves that the request did not leave: its
// connection could not be made. Then it may be sent again, whatever its method.
//
// False means "perhaps it did". That is said of TLS errors, for some arrive
// after the request was written; of joined errors unless each one proves it;
// and of what an http.Client returns (a *url.Error), which follows redirects,
// so that the dial that failed need not have been the first. Ask about the
// error of the [net/http.RoundTripper] instead.
func NeverSent(err error) bool {
	for err != nil {
		switch e := err.(type) {
		case *net.DNSError:
			return true
		case *net.OpError:
			return e.Op == "dial" || e.Op == "proxyconnect"
		case *url.Error:
			return false
		case interface{ Unwrap() []error }:
			return everyNeverSent(e.Unwrap())
		}
		err = errors.Unwrap(err)
	}
	return false
}

func everyNeverSent(errs []error) bool {
	for _, err := range errs {
		if !NeverSent(err) {
			return false
		}
	}
	return len(errs) > 0
}
