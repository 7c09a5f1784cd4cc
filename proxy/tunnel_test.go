package proxy_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/proxy"
)

// listen accepts connections and serves each with f.
func listen(t *testing.T, f func(*net.TCPConn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				f(conn.(*net.TCPConn))
			}()
		}
	}()
	return l.Addr().String()
}

// tunnelTo starts a proxy to an address and returns what asks for a tunnel.
func tunnelTo(t *testing.T, address, settings string, change ...func(*proxy.Options)) (*sidecar, func() (*net.TCPConn, *bufio.Reader, *http.Response)) {
	t.Helper()
	s := start(t, fmt.Sprintf("dependencies: {shop: {url: %q, %s}}", "http://"+address, settings), change...)
	return s, func() (*net.TCPConn, *bufio.Reader, *http.Response) {
		conn, r := dial(t, s)
		fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: elsewhere\r\n\r\nearly\n", address)
		resp, err := http.ReadResponse(r, &http.Request{Method: "CONNECT"})
		if err != nil {
			t.Fatal(err)
		}
		return conn.(*net.TCPConn), r, resp
	}
}

func TestTunnel(t *testing.T) {
	address := listen(t, func(c *net.TCPConn) { io.Copy(c, c); io.WriteString(c, "end") })
	s, open := tunnelTo(t, address, "timeout: {attempt: 50ms}, bulkhead: {limit: 1}")
	conn, r, resp := open()
	if resp.StatusCode != 200 {
		t.Fatal(resp.Status)
	}
	<-time.After(80 * ms) // beyond the time to connect
	if line, err := r.ReadString('\n'); line != "early\n" {
		t.Fatalf("got %q, %v: what was sent together with the request is lost", line, err)
	}
	if d := s.shop(); d.Tunnels != 1 || d.Bulkhead.InFlight != 1 || d.Calls["ok"] != 1 {
		t.Errorf("counted %+v", d)
	}
	_, _, second := open()
	if second.StatusCode != 503 || second.Header.Get("Stanch-Refused") != "bulkhead_full" {
		t.Errorf("a second one: %v %v", second.Status, second.Header)
	}
	io.WriteString(conn, "late")
	conn.CloseWrite() // the other half stays open for what is still to come
	if rest, err := io.ReadAll(r); string(rest) != "lateend" || err != nil {
		t.Errorf("the rest was %q, %v", rest, err)
	}
	until(t, "the place is free", func() bool { d := s.shop(); return d.Bulkhead.InFlight == 0 && d.Tunnels == 0 })
}

func TestTunnelToNothing(t *testing.T) {
	l, _ := net.Listen("tcp", "127.0.0.1:0")
	l.Close()
	s, open := tunnelTo(t, l.Addr().String(), "breaker: {consecutive: 2}")
	for range 2 {
		if _, _, resp := open(); resp.StatusCode != 502 {
			t.Error(resp.Status)
		}
	}
	if _, _, resp := open(); resp.StatusCode != 503 || resp.Header.Get("Stanch-Refused") != "breaker_open" {
		t.Error(resp.Status, resp.Header)
	}
	if s.shop().Breaker != "open" {
		t.Error("the breaker is ", s.shop().Breaker)
	}
	for _, other := range []string{"example.com:443", "127.0.0.1:1", "shop:80", "nonsense"} {
		if answer := raw(t, s.Addr().String(), "CONNECT "+other+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); !strings.HasPrefix(answer, "HTTP/1.1 403 ") && !strings.HasPrefix(answer, "HTTP/1.1 400 ") {
			t.Errorf("%s: %s", other, answer)
		}
	}
}

// A tunnel is idle only when nothing passes in either direction.
func TestTunnelIdles(t *testing.T) {
	address := listen(t, func(c *net.TCPConn) { // only sends
		for range 5 {
			io.WriteString(c, "x")
			<-time.After(20 * ms)
		}
		io.Copy(io.Discard, c)
	})
	s, open := tunnelTo(t, address, "http: {stream_idle: 60ms}")
	began := time.Now()
	_, r, _ := open()
	all, _ := io.ReadAll(r)
	if took := time.Since(began); string(all) != "xxxxx" || took < 140*ms || took > 5*time.Second {
		t.Errorf("got %q in %v", all, took)
	}
	until(t, "it is over", func() bool { return s.shop().Tunnels == 0 })
}

// https through the proxy, end to end.
func TestTunnelTLS(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(echo("secret")))
	defer server.Close()
	s := start(t, fmt.Sprintf("dependencies: {shop: {url: %q}}", server.URL))
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	u, _ := url.Parse(s.URL)
	tr := &http.Transport{Proxy: http.ProxyURL(u), TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true}
	req, _ := http.NewRequestWithContext(t.Context(), "GET", server.URL+"/x", nil)
	g := read(t, &http.Client{Transport: tr}, req)
	if !strings.HasPrefix(g.body, "secret ") || g.Header.Get("Via") != "" {
		t.Errorf("got %q %v", g.body, g.Header)
	}
}
