package stanchhttp

import (
	"crypto/rand"
	"net/http"

	"github.com/stanch-go/stanch/outcome"
)

// mayRepeat reports whether it does no harm that the request arrives twice, and
// with which new key, if any.
func (o Options) mayRepeat(req *http.Request) (ok bool, key string) {
	if outcome.IdempotentMethod(req.Method) || hasKey(req.Header, o.keyHeader()) {
		return true, ""
	}
	if o.GenerateKeys {
		return true, `"` + rand.Text() + `"` // a string of RFC 9651, as the draft asks
	}
	return false, ""
}

// hasKey follows net/http: a header without a value is not sent, and still says
// that the request may be repeated.
func hasKey(h http.Header, name string) bool {
	values, ok := h[http.CanonicalHeaderKey(name)]
	return ok && (len(values) == 0 || values[0] != "")
}

func hasBody(req *http.Request) bool { return req.Body != nil && req.Body != http.NoBody }
