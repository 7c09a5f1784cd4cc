package admin_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stanch-go/stanch/policy"
	"github.com/stanch-go/stanch/proxy"
	"github.com/stanch-go/stanch/proxy/admin"
)

// everything has a dependency with each kind of guard, one with none, and an
// ingress.
const everything = `version: 1
service: {name: news}
listen:
  egress: "127.0.0.1:0"
  ingress: {address: "127.0.0.1:0", to: "http://127.0.0.1:9"}
inbound:
  limits: {tenant: {by: tenant, rate: 100}}
  concurrency: {limit: 2}
dependencies:
  shop:
    url: http://127.0.0.1:9/shop
    timeout: {attempt: 1s, total: 2s}
    retry: {attempts: 2}
    budget: {kind: earning}
    breaker: {consecutive: 3}
    bulkhead: {limit: 5}
    fallback: {last_good: {}, empty: array}
  mail: {url: "http://127.0.0.1:9/mail"}
`

// sidecar is a proxy that listens and serves nothing, with its admin side.
type sidecar struct {
	*proxy.Proxy
	*admin.Admin
	t testing.TB
}

func load(t testing.TB, text string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse("policy.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func start(t testing.TB, text string) *sidecar {
	t.Helper()
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	px, err := proxy.New(load(t, text), proxy.Options{Log: log, Settle: 1, DrainTime: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { px.Drain(t.Context()) })
	return &sidecar{px, admin.New(px, log), t}
}

// ask makes a request as curl would on this machine.
func (s *sidecar) ask(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	req.Host = "localhost:15000"
	if body != "" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, req)
	return w
}

// get makes a request that must be answered, and decodes the answer.
func (s *sidecar) get(path string, into any, headers ...string) {
	s.t.Helper()
	w := s.ask(http.MethodGet, path, "", headers...)
	if w.Code != http.StatusOK {
		s.t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
		s.t.Fatalf("%s: %v in %s", path, err, w.Body)
	}
}
