package stanchhttp

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/stanch-go/stanch"
)

// The defaults of [ClientConfig] where the Dependency does not say.
const (
	DefaultConnect        = 2 * time.Second // a lost SYN is sent again after 1s
	DefaultResponseHeader = 10 * time.Second
	DefaultTotal          = 30 * time.Second
	DefaultExpectContinue = time.Second
	DefaultIdleConnection = 90 * time.Second
	DefaultConnsPerHost   = 100
	DefaultHeaderBytes    = 64 << 10
)

// A dead HTTP/2 connection would fail every call until the system gives it up,
// which takes a quarter of an hour: so it is asked for a sign of life.
const (
	pingAfter   = 15 * time.Second
	pingTimeout = 5 * time.Second
)

// ClientConfig bounds what an http.Client can wait for and hold. The zero value
// leaves no limit out. Limits that the Dependency's Config has are not repeated
// here: Timeout.Connect, Timeout.Attempt and Timeout.Total. Values out of range
// count as left out.
type ClientConfig struct {
	Options `yaml:",inline"`

	// TLSHandshake is the longest that a TLS handshake may take. Default
	// Timeout.Connect, else 2s. Range: 0 or more.
	TLSHandshake time.Duration `yaml:"tls_handshake"`
	// ResponseHeader is the longest from the end of sending the request to the
	// header of the answer. It does not bound the body. Default a second more
	// than Timeout.Attempt or else Timeout.Total, whose own end then comes first
	// and is what gets reported, else 10s. Range: 0 or more.
	ResponseHeader time.Duration `yaml:"response_header"`
	// Total bounds each request with its redirects and bodies where the
	// Dependency has no Timeout.Total, which bounds it better. Default 30s.
	// Range: 0 or more.
	Total time.Duration `yaml:"total"`
	// ExpectContinue is how long a request with "Expect: 100-continue" waits for
	// the server's word before it sends its body all the same. Default 1s.
	// Range: 0 or more.
	ExpectContinue time.Duration `yaml:"expect_continue"`
	// IdleConnection is how long an unused connection is kept. It should be less
	// than the server keeps it. Default 90s. Range: 0 or more.
	IdleConnection time.Duration `yaml:"idle_connection"`
	// MaxConnsPerHost is the most connections to one host, whatever they do; a
	// request above it waits for one. Default twice Bulkhead.Limit, so that
	// nobody who has a place waits for connections that are being given up, else
	// 100. Range: 0 or more.
	MaxConnsPerHost int `yaml:"max_conns_per_host"`
	// MaxIdleConnsPerHost is the most unused connections kept to one host. Fewer
	// than are used at once means opening and closing all the time. Default
	// Bulkhead.Limit, else 100. Range: 0 or more.
	MaxIdleConnsPerHost int `yaml:"max_idle_conns_per_host"`
	// MaxResponseHeaderBytes is the most that the header of an answer may have.
	// Default 65536. Range: 0 or more.
	MaxResponseHeaderBytes int64 `yaml:"max_response_header_bytes"`
}

// Validate returns every fault of the configuration, joined, or nil.
func (c ClientConfig) Validate() error {
	faults := []error{c.Options.Validate()}
	for _, f := range []struct {
		name  string
		value int64
		shown any
	}{
		{"tls_handshake", int64(c.TLSHandshake), c.TLSHandshake},
		{"response_header", int64(c.ResponseHeader), c.ResponseHeader},
		{"total", int64(c.Total), c.Total},
		{"expect_continue", int64(c.ExpectContinue), c.ExpectContinue},
		{"idle_connection", int64(c.IdleConnection), c.IdleConnection},
		{"max_conns_per_host", int64(c.MaxConnsPerHost), c.MaxConnsPerHost},
		{"max_idle_conns_per_host", int64(c.MaxIdleConnsPerHost), c.MaxIdleConnsPerHost},
		{"max_response_header_bytes", c.MaxResponseHeaderBytes, c.MaxResponseHeaderBytes},
	} {
		if f.value < 0 {
			faults = append(faults, fmt.Errorf("%s: must not be negative, is %v", f.name, f.shown))
		}
	}
	return errors.Join(faults...)
}

// NewClient returns an http.Client that is guarded by d and waits for nothing
// without a limit. Each hop of a redirect is a guarded call of its own.
//
// Its Timeout stays 0 if d has a Timeout.Total, which bounds the call with all
// its attempts and the body of the answer: http.Client.Timeout would do the same
// over again, with a goroutine and a timer for each request, and would take away
// the writing side of an upgraded connection. A context bounds several hops
// together.
func NewClient(d *stanch.Dependency, c ClientConfig) *http.Client {
	client := &http.Client{Transport: New(d, NewBase(d, c), c.Options)}
	if d.Config().Timeout.Total == 0 {
		client.Timeout = positive(c.Total, DefaultTotal)
	}
	return client
}

// NewBase returns the unguarded transport of [NewClient], to be given a proxy or
// certificates of its own, or to be used inside of a guarded function.
func NewBase(d *stanch.Dependency, c ClientConfig) *http.Transport {
	cfg := d.Config()
	attempt := positive(cfg.Timeout.Attempt, cfg.Timeout.Total, DefaultResponseHeader-time.Second)
	connect := positive(cfg.Timeout.Connect, DefaultConnect)
	places := cfg.Bulkhead.Limit
	conns := positive(c.MaxConnsPerHost, 2*places, DefaultConnsPerHost)
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: connect}).DialContext,
		ForceAttemptHTTP2:      true, // a dialer of one's own turns it off
		TLSHandshakeTimeout:    positive(c.TLSHandshake, connect),
		ResponseHeaderTimeout:  positive(c.ResponseHeader, max(attempt, attempt+time.Second)),
		ExpectContinueTimeout:  positive(c.ExpectContinue, DefaultExpectContinue),
		IdleConnTimeout:        positive(c.IdleConnection, DefaultIdleConnection),
		MaxConnsPerHost:        conns,
		MaxIdleConnsPerHost:    positive(c.MaxIdleConnsPerHost, places, DefaultConnsPerHost),
		MaxIdleConns:           conns,
		MaxResponseHeaderBytes: positive(c.MaxResponseHeaderBytes, DefaultHeaderBytes),
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout},
	}
}

// positive returns the first of values that is above zero.
func positive[T cmp.Ordered](values ...T) T {
	var zero T
	for _, v := range values {
		if v > zero {
			return v
		}
	}
	return zero
}
