package proxy_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stanch-go/stanch/internal/certificate"
)

// The certificate of the dependency is always verified, the own one is shown,
// and both sides agree on HTTP/2.
func TestTLS(t *testing.T) {
	serverCert, _, serverPair := certificate.New(t, "shop.example")
	clientCert, clientKey, clientPair := certificate.New(t, "me")
	known := x509.NewCertPool()
	known.AddCert(clientPair.Leaf)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Proto+" "+r.TLS.PeerCertificates[0].Subject.CommonName)
	}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{serverPair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: known}
	server.EnableHTTP2 = true
	server.Config.ErrorLog = quietLog
	server.StartTLS()
	defer server.Close()
	for _, tt := range []struct {
		settings string
		status   int
	}{
		{fmt.Sprintf("ca: %q, cert: %q, key: %q, server_name: shop.example", serverCert, clientCert, clientKey), 200},
		{fmt.Sprintf("ca: %q, cert: %q, key: %q", serverCert, clientCert, clientKey), 502},                  // it is not 127.0.0.1
		{fmt.Sprintf("cert: %q, key: %q, server_name: shop.example", clientCert, clientKey), 502},           // nobody vouches for it
		{fmt.Sprintf("ca: %q, server_name: shop.example", serverCert), 502},                                 // who are we
		{fmt.Sprintf("ca: %q, cert: %q, key: %q, server_name: x", serverCert, clientCert, clientKey), 502},  // it is not x
		{fmt.Sprintf("ca: %q, cert: %q, key: %q, server_name: me", clientCert, clientCert, clientKey), 502}, // another vouches
	} {
		s := start(t, fmt.Sprintf("dependencies: {shop: {url: %q, tls: {%s}}}", server.URL, tt.settings))
		g := s.get("/")
		if g.StatusCode != tt.status || g.StatusCode == 200 && g.body != "HTTP/2.0 me" {
			t.Errorf("%s: %d %q", tt.settings, g.StatusCode, g.body)
		}
	}
}

// A certificate that was renewed under the same name is in force after the next
// reload, although the policy is the same.
func TestRenewedCertificate(t *testing.T) {
	serverCert, _, serverPair := certificate.New(t, "shop.example")
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.TLS.PeerCertificates[0].Subject.CommonName)
	}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{serverPair}, ClientAuth: tls.RequireAnyClientCert}
	server.StartTLS()
	defer server.Close()
	dir := t.TempDir()
	use := func(name string) {
		cert, key, _ := certificate.New(t, name)
		os.Rename(cert, filepath.Join(dir, "cert.pem"))
		os.Rename(key, filepath.Join(dir, "key.pem"))
	}
	use("old")
	s := start(t, fmt.Sprintf("dependencies: {shop: {url: %q, tls: {ca: %q, cert: %q, key: %q, server_name: shop.example}}}",
		server.URL, serverCert, filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")))
	if g := s.get("/"); g.body != "old" {
		t.Fatalf("got %d %q", g.StatusCode, g.body)
	}
	use("new")
	guard := s.Dependency("shop")
	if _, err := s.Swap(s.Policy()); err != nil {
		t.Fatal(err)
	}
	if g := s.get("/"); g.body != "new" || s.Dependency("shop") != guard {
		t.Errorf("got %d %q, the same guard: %v", g.StatusCode, g.body, s.Dependency("shop") == guard)
	}
}
