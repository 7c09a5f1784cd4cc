package stanchhttp

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"github.com/stanch-go/stanch/outcome"
)

// DefaultIdempotencyHeader is the header of draft-ietf-httpapi-idempotency-key-header.
const DefaultIdempotencyHeader = "Idempotency-Key"

// Options says what a [Transport] writes into requests. The zero value is a good
// choice.
type Options struct {
	// IdempotencyHeader is the header whose presence says that the server does
	// the work of a request only once, however often it comes, so that a POST or
	// a PATCH may be sent again. Default "Idempotency-Key". Range: a header name.
	IdempotencyHeader string `yaml:"idempotency_header"`
	// GenerateKeys gives a random key to requests that need one to be repeated
	// and have none. Only for servers that honour the header: others would do
	// the work twice. Default false.
	GenerateKeys bool `yaml:"generate_keys"`
	// OmitHeaders does not tell the server the remaining time, the number of the
	// attempt, and the priority that the context carries. Default false: they are
	// sent, in X-Envoy-Expected-Rq-Timeout-Ms, X-Envoy-Attempt-Count and
	// X-Criticality, which a request that has one keeps.
	OmitHeaders bool `yaml:"omit_headers"`
	// Streams makes the attempt's time limit one for the header of the answer:
	// the body may last as long as the context of the request, and keeps the
	// place in the bulkhead. Whoever reads it must bound its pauses. Default
	// false: the time limit covers the body as well.
	Streams bool `yaml:"streams"`
	// Owned is for a caller that makes each request for the Transport alone, and
	// closes the body of every answer, as a reverse proxy does: the first attempt
	// then writes into the header of the request instead of a copy, and nothing
	// watches for a body that was forgotten when its context has ended. Default
	// false.
	Owned bool `yaml:"-"`
	// Judge judges answers, before their bodies are read, whose status alone does
	// not tell, as in protocols that answer 200 to everything. ok false leaves it
	// to the status. It must be safe for concurrent use. Default none.
	Judge func(*http.Response) (v outcome.Verdict, ok bool) `yaml:"-"`
}

// Validate returns the fault of the options, or nil.
func (o Options) Validate() error {
	if o.IdempotencyHeader != "" && strings.ContainsFunc(o.IdempotencyHeader, notToken) {
		return fmt.Errorf("idempotency_header: must be the name of a header, is %q", o.IdempotencyHeader)
	}
	return nil
}

// notToken reports whether r may not be part of a header's name, RFC 9110
// section 5.6.2.
func notToken(r rune) bool {
	switch {
	case '0' <= r && r <= '9', 'A' <= r && r <= 'Z', 'a' <= r && r <= 'z':
		return false
	}
	return !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

func (o Options) keyHeader() string { return cmp.Or(o.IdempotencyHeader, DefaultIdempotencyHeader) }
