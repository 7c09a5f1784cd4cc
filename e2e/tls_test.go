package e2e

import (
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// protocols answers with how it was asked, and with the name that the client
// has for it.
func protocols(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto) }

// serveTLS starts a server for HTTP/1.1 and HTTP/2 over TLS and returns the file
// of the authority that vouches for it.
func serveTLS(t *testing.T, handler http.HandlerFunc) (s *httptest.Server, ca string) {
	t.Helper()
	s = httptest.NewUnstartedServer(handler)
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	ca = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return s, ca
}

// Each side has its own protocol: HTTP/1.1, or HTTP/2 with or without TLS.
func TestProtocols(t *testing.T) {
	plain, h2c := serve(t, http.HandlerFunc(protocols)), serve(t, http.HandlerFunc(protocols))
	secure, ca := serveTLS(t, protocols)
	s := guard(t, fmt.Sprintf("one: {url: %q}\ntwo: {url: %q, http: {h2c: true}}\nsafe: {url: %q, tls: {ca: %s}}\nunknown: {url: %q}", plain, h2c, secure.URL, ca,
		strings.Replace(secure.URL, "127.0.0.1", "localhost", 1)))
	h1, h2 := new(http.Protocols), new(http.Protocols)
	h1.SetHTTP1(true)
	h2.SetUnencryptedHTTP2(true)
	for _, client := range []struct {
		name string
		*http.Protocols
	}{{"HTTP/1.1", h1}, {"HTTP/2.0", h2}} {
		c := http.Client{Transport: &http.Transport{Protocols: client.Protocols}, Timeout: bound}
		for _, dependency := range []struct {
			name, want string
			status     int
		}{{"one", "HTTP/1.1", 200}, {"two", "HTTP/2.0", 200}, {"safe", "HTTP/2.0", 200}, {"unknown", "", 502}} {
			resp, err := c.Get(s.URL + "/" + dependency.name + "/")
			if err != nil {
				t.Fatal(client.name, dependency.name, err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || resp.StatusCode != dependency.status || resp.Proto != client.name || dependency.want != "" && string(body) != dependency.want {
				t.Errorf("%s from %s: %s %d %q, %v", client.name, dependency.name, resp.Proto, resp.StatusCode, body, err)
			}
		}
		c.CloseIdleConnections()
	}
}

// A tunnel is encrypted from end to end: what the client verifies is the
// dependency's certificate, and the sidecar only bounds the connection.
func TestTunnel(t *testing.T) {
	curl := need(t, "curl")
	secure, ca := serveTLS(t, protocols)
	other, _ := serveTLS(t, protocols)
	dead := closed(t)
	s := guard(t, fmt.Sprintf("safe: {url: %q, timeout: {connect: 1s, total: 2s}, bulkhead: {limit: 2}}\ndead: {url: \"https://%s\", breaker: {consecutive: 2, cooldown: 1h}}", secure.URL, dead))
	for _, protocol := range []string{"--http1.1", "--http2"} {
		out, code := output(t, []string{"https_proxy=" + s.URL}, curl, "-sS", protocol, "--cacert", ca, "-w", " %{http_code} %{http_connect}", secure.URL)
		want := map[string]string{"--http1.1": "HTTP/1.1", "--http2": "HTTP/2.0"}[protocol]
		if code != 0 || !strings.HasPrefix(out, want+" 200 200") {
			t.Errorf("%s: %d %s", protocol, code, out)
		}
	}
	connect := func(url string) string {
		out, _ := output(t, []string{"https_proxy=" + s.URL}, curl, "-s", "--cacert", ca, "-o", os.DevNull, "-w", "%{http_connect}", url)
		return out
	}
	if got := connect(other.URL); got != "403" {
		t.Errorf("a tunnel to what is not declared: %s", got)
	}
	for n, want := range []string{"502", "502", "503"} {
		if got := connect("https://" + dead); got != want {
			t.Errorf("tunnel %d to what is dead: %s, want %s", n, got, want)
		}
	}
}
