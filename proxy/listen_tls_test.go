package proxy_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/certificate"
	"github.com/stanch-go/stanch/proxy"
)

// guarded starts a proxy whose egress and ingress speak TLS, as whoever the
// settings say.
func guarded(t *testing.T, settings string, handler http.HandlerFunc, change ...func(*proxy.Options)) *sidecar {
	t.Helper()
	to := serve(t, handler)
	s := start(t, fmt.Sprintf(`
listen: {egress: "127.0.0.1:0", egress_tls: {%[2]s}, ingress: {address: "127.0.0.1:0", to: %[1]q, tls: {%[2]s}}}
dependencies: {shop: {url: %[1]q}}`, to, settings), change...)
	s.URL = "https" + strings.TrimPrefix(s.URL, "http")
	return s
}

// trusting is a client that knows a certificate, and speaks one protocol.
func trusting(t *testing.T, cert, name string, h2 bool, own ...tls.Certificate) (*http.Client, *tls.Config) {
	t.Helper()
	pem, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	c := &tls.Config{RootCAs: x509.NewCertPool(), ServerName: name, Certificates: own}
	c.RootCAs.AppendCertsFromPEM(pem)
	tr := &http.Transport{TLSClientConfig: c, Protocols: new(http.Protocols)}
	tr.Protocols.SetHTTP1(!h2)
	tr.Protocols.SetHTTP2(h2)
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: 20 * time.Second}, c
}

func request(t *testing.T, method, url string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func TestListenersSpeakTLS(t *testing.T) {
	cert, key, _ := certificate.New(t, "me.example")
	s := guarded(t, fmt.Sprintf("cert: %q, key: %q", cert, key), func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.URL.Path+" "+r.Header.Get("X-Forwarded-Proto"))
	})
	for protocol, h2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2.0": true} {
		for url, want := range map[string]string{s.URL + "/shop/x": "/x ", "https://" + s.IngressAddr().String() + "/y": "/y https"} {
			c, _ := trusting(t, cert, "me.example", h2)
			if g := read(t, c, request(t, "GET", url)); g.StatusCode != 200 || g.body != want || g.Proto != protocol {
				t.Errorf("%s: %s %d %q, want %s %q", url, g.Proto, g.StatusCode, g.body, protocol, want)
			}
			for version, ok := range map[uint16]bool{tls.VersionTLS11: false, tls.VersionTLS12: true} {
				c, settings := trusting(t, cert, "me.example", h2)
				settings.MinVersion, settings.MaxVersion = version, version
				resp, err := c.Get(url)
				if (err == nil) != ok {
					t.Errorf("%s: %s: %v", url, tls.VersionName(version), err)
				}
				if err == nil {
					resp.Body.Close()
				}
			}
		}
	}
}

func TestClientCertificates(t *testing.T) {
	cert, key, _ := certificate.New(t, "me.example")
	known, _, friend := certificate.New(t, "friend")
	_, _, stranger := certificate.New(t, "friend") // by its own word only
	s := guarded(t, fmt.Sprintf("cert: %q, key: %q, client_ca: %q", cert, key, known), func(http.ResponseWriter, *http.Request) {})
	for _, h2 := range []bool{false, true} {
		for _, tt := range []struct {
			own []tls.Certificate
			ok  bool
		}{{nil, false}, {[]tls.Certificate{stranger}, false}, {[]tls.Certificate{friend}, true}} {
			for _, url := range []string{s.URL + "/shop/", "https://" + s.IngressAddr().String()} {
				c, settings := trusting(t, cert, "me.example", h2)
				if tt.ok {
					settings.Certificates = tt.own
				} else if tt.own != nil { // although it is not asked for that one
					settings.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &tt.own[0], nil }
				}
				resp, err := c.Get(url)
				if (err == nil) != tt.ok {
					t.Errorf("%s with %d certificates: %v", url, len(tt.own), err)
				}
				if err == nil {
					resp.Body.Close()
				}
			}
		}
	}
	if n := s.shop().Calls["ok"]; n > 2 {
		t.Errorf("%d requests have come through", n)
	}
}

// place puts a certificate and its key where others may have been.
func place(t *testing.T, dir, name string) (pair tls.Certificate) {
	t.Helper()
	cert, key, pair := certificate.New(t, name)
	if err := os.Rename(cert, filepath.Join(dir, "cert.pem")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(key, filepath.Join(dir, "key.pem")); err != nil {
		t.Fatal(err)
	}
	return pair
}

// shown is the name in the certificate that a listener shows.
func shown(t *testing.T, addr net.Addr) string {
	t.Helper()
	conn, err := tls.Dial("tcp", addr.String(), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0].Subject.CommonName
}

// A certificate that was renewed under the same name is shown to new connections
// after the next reload; those that are open stay. One that cannot be used
// changes nothing.
func TestRenewedListenerCertificate(t *testing.T) {
	dir := t.TempDir()
	place(t, dir, "old")
	s := guarded(t, fmt.Sprintf("cert: %q, key: %q", filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")), func(http.ResponseWriter, *http.Request) {})
	c, _ := trusting(t, filepath.Join(dir, "cert.pem"), "old", true)
	read(t, c, request(t, "GET", s.URL+"/shop/"))

	swap := func(changes int, show string) {
		t.Helper()
		if got, err := s.Swap(s.Policy()); err != nil || len(got) != changes {
			t.Errorf("%q, %v", got, err)
		}
		for _, addr := range []net.Addr{s.Addr(), s.IngressAddr()} {
			if name := shown(t, addr); name != show {
				t.Errorf("%v shows %q, want %q", addr, name, show)
			}
		}
	}
	swap(0, "old")
	place(t, dir, "new")
	swap(2, "new")
	if g := read(t, c, request(t, "GET", s.URL+"/shop/")); g.StatusCode != 200 { // by the old connection: it knows only that
		t.Error(g.Status)
	}
	os.WriteFile(filepath.Join(dir, "key.pem"), nil, 0o600)
	_, err := s.Swap(s.Policy())
	if err == nil || !strings.Contains(err.Error(), "policy.yaml:3:") || !strings.Contains(err.Error(), "listen.ingress.tls.cert: cannot be used with its key: ") {
		t.Errorf("got %v", err)
	}
	if name := shown(t, s.Addr()); name != "new" {
		t.Errorf("shows %q", name)
	}
}

// crypto/tls once resumed the session of a client although nobody vouched for it
// any more by the settings of the moment (CVE-2025-68121).
func TestRegressionResumedSessionOfNobody(t *testing.T) {
	cert, key, _ := certificate.New(t, "me.example")
	dir := t.TempDir()
	friend := place(t, dir, "friend")
	s := guarded(t, fmt.Sprintf("cert: %q, key: %q, client_ca: %q", cert, key, filepath.Join(dir, "cert.pem")), func(http.ResponseWriter, *http.Request) {})
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		c, settings := trusting(t, cert, "me.example", false)
		c.Transport.(*http.Transport).DisableKeepAlives = true
		settings.MaxVersion, settings.ClientSessionCache = version, tls.NewLRUClientSessionCache(2)
		settings.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &friend, nil }
		for n := range 2 {
			if g := read(t, c, request(t, "GET", s.URL+"/shop/")); g.TLS.DidResume != (n == 1) {
				t.Errorf("%s: request %d: resumed: %v", tls.VersionName(version), n, g.TLS.DidResume)
			}
		}
		other := place(t, dir, "another")
		if _, err := s.Swap(s.Policy()); err != nil {
			t.Fatal(err)
		}
		if resp, err := c.Get(s.URL + "/shop/"); err == nil {
			resp.Body.Close()
			t.Errorf("%s: nobody vouches for it", tls.VersionName(version))
		}
		friend = other
	}
}

// A client that does not shake hands, or not in time, is let go and holds up
// nobody.
func TestSlowHandshake(t *testing.T) {
	cert, key, _ := certificate.New(t, "me.example")
	s := guarded(t, fmt.Sprintf("cert: %q, key: %q", cert, key), func(http.ResponseWriter, *http.Request) {},
		func(o *proxy.Options) { o.HeaderTimeout = 500 * ms })
	for _, byByte := range []bool{false, true} {
		conn, err := net.Dial("tcp", s.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if byByte {
			go func() {
				for _, b := range append([]byte{22, 3, 1, 1, 0}, make([]byte, 255)...) {
					if _, err := conn.Write([]byte{b}); err != nil {
						return
					}
					<-time.After(10 * ms)
				}
			}()
		}
		c, _ := trusting(t, cert, "me.example", true)
		if g := read(t, c, request(t, "GET", s.URL+"/shop/")); g.StatusCode != 200 {
			t.Error(g.Status)
		}
		c.CloseIdleConnections()
		conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		began := time.Now()
		if _, err := io.Copy(io.Discard, conn); err != nil && strings.Contains(err.Error(), "timeout") {
			t.Errorf("byte by byte %v: it is still open", byByte)
		}
		if d := time.Since(began); byByte && d > 2*time.Second { // all bytes take 2.6s
			t.Errorf("it was open for %v", d)
		}
	}
	until(t, "they are let go", func() bool { return s.Status().Egress.Connections == 0 })
}

// net/http knew only some requests without TLS, and none of those made to a
// proxy.
func TestRegressionPlainRequestsToTLS(t *testing.T) {
	cert, key, _ := certificate.New(t, "me.example")
	s := guarded(t, fmt.Sprintf("cert: %q, key: %q", cert, key), func(http.ResponseWriter, *http.Request) {})
	for _, text := range []string{
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET http://shop/ HTTP/1.1\r\nHost: shop\r\n\r\n",
		"CONNECT shop:443 HTTP/1.1\r\nHost: shop:443\r\n\r\n",
		"delete / HTTP/1.1\r\nHost: x\r\n\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"G",
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" + strings.Repeat("x", 1_000_000),
	} {
		for _, addr := range []net.Addr{s.Addr(), s.IngressAddr()} {
			resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(rawHalf(t, addr.String(), text))), nil)
			if err != nil {
				t.Errorf("%.20q: %v", text, err)
				continue
			}
			body, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != 400 || !resp.Close || !bytes.Contains(body, []byte("must begin with https")) {
				t.Errorf("%.20q: %s %q, %v", text, resp.Status, body, err)
			}
		}
	}
	if answer := rawHalf(t, s.Addr().String(), "\x80\x01\x02"); strings.Contains(answer, "HTTP") { // some other noise
		t.Errorf("got %q", answer)
	}
}

// Every file is missed at its place, and nothing is begun.
func TestMissingCertificates(t *testing.T) {
	cert, key, _ := certificate.New(t, "me.example")
	_, other, _ := certificate.New(t, "other.example")
	for settings, want := range map[string][]string{
		"cert: none, key: none, client_ca: none":                          {"2:52: listen.egress_tls.cert: cannot be read: no such", "2:63: listen.egress_tls.key: cannot be read: no such", "listen.egress_tls.client_ca: cannot be read: no such"},
		fmt.Sprintf("cert: %q, key: %q", cert, other):                     {"listen.egress_tls.cert: cannot be used with its key: tls: private key does not match"},
		fmt.Sprintf("cert: %q, key: %q, client_ca: %q", cert, key, other): {"listen.egress_tls.client_ca: has no certificate"},
	} {
		_, err := proxy.New(parse(t, fmt.Sprintf("listen: {egress: \"127.0.0.1:0\", egress_tls: {%s}}", settings)), proxy.Options{Log: slog.New(slog.DiscardHandler)})
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v, want %s", settings, err, w)
			}
		}
	}
}

// What is encrypted to the proxy may be a tunnel, or change its protocol.
func TestTunnelAndUpgradeOverTLS(t *testing.T) {
	cert, key, _ := certificate.New(t, "me.example")
	s := guarded(t, fmt.Sprintf("cert: %q, key: %q", cert, key), upgrade("loud"))
	_, settings := trusting(t, cert, "me.example", false)
	speak := func(text string) (*tls.Conn, *bufio.Reader) {
		conn, err := tls.Dial("tcp", s.Addr().String(), settings)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		conn.SetDeadline(time.Now().Add(10 * time.Second))
		io.WriteString(conn, text)
		return conn, bufio.NewReader(conn)
	}
	says := func(r *bufio.Reader, want string) {
		t.Helper()
		for {
			line, err := r.ReadString('\n')
			if strings.TrimSpace(line) == want {
				return
			}
			if err != nil {
				t.Fatalf("waited for %q: %v", want, err)
			}
		}
	}
	u, err := url.Parse(s.Policy().Dependencies[0].Value.URL[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{ask, "CONNECT " + u.Host + " HTTP/1.1\r\nHost: " + u.Host + "\r\n\r\n" + ask} {
		conn, r := speak(text)
		says(r, "Upgrade: loud")
		io.WriteString(conn, "hello\n")
		says(r, "HELLO")
		conn.CloseWrite()
		says(r, "end")
		conn.Close()
	}
}

// A drain tells clients of HTTP/2 over TLS to come no more and answers what they
// have asked for.
func TestDrainOverTLS(t *testing.T) {
	cert, key, _ := certificate.New(t, "me.example")
	asked, answer := make(chan struct{}), make(chan struct{})
	s := guarded(t, fmt.Sprintf("cert: %q, key: %q", cert, key), func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-answer
		io.WriteString(w, "done")
	})
	c, _ := trusting(t, cert, "me.example", true)
	body := make(chan string, 1)
	go func() {
		resp, err := c.Get(s.URL + "/shop/")
		if err != nil {
			body <- err.Error()
			return
		}
		defer resp.Body.Close()
		all, _ := io.ReadAll(resp.Body)
		body <- string(all)
	}()
	select {
	case <-asked:
	case fault := <-body:
		t.Fatal(fault)
	}
	drained := make(chan error, 1)
	go func() { drained <- s.Drain(context.Background()) }()
	until(t, "it drains", func() bool { return s.Status().Draining })
	close(answer)
	if got := <-body; got != "done" {
		t.Errorf("got %q", got)
	}
	if err := <-drained; err != nil {
		t.Error(err)
	}
}
