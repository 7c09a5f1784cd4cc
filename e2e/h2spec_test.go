package e2e

import (
	"encoding/xml"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stanch-go/stanch/internal/certificate"
)

// The sidecar keeps every rule of HTTP/2 that net/http's own server keeps. What
// that fails of h2spec, it answers in another way than the suite expects: with a
// 400 to what is malformed, and in HTTP/1.1 to what is no HTTP/2.
func TestH2Spec(t *testing.T) {
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "some data") }))
	s := guard(t, fmt.Sprintf("shop: {url: %q, timeout: {attempt: 10s}}", url))

	compareH2Spec(t, startH2Spec(t, host(url), "/"), startH2Spec(t, s.addr, "/shop/"))
}

// The same holds within TLS.
func TestH2SpecOverTLS(t *testing.T) {
	bare, _ := serveTLS(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "some data") })
	url := serve(t, bare.Config.Handler)
	s := place(t)
	cert, key, _ := certificate.New(t, "localhost")
	s.listen = fmt.Sprintf("egress_tls: {cert: %s, key: %s}", cert, key)
	s.write(fmt.Sprintf("shop: {url: %q, timeout: {attempt: 10s}}", url))
	s.start(t, nil)
	compareH2Spec(t, startH2Spec(t, host(bare.URL), "/", "--tls", "--insecure"), startH2Spec(t, s.addr, "/shop/", "--tls", "--insecure"))
}

// compareH2Spec waits for both runs.
func compareH2Spec(t *testing.T, bare, guarded func() map[string]bool) {
	t.Helper()
	failed, known := guarded(), bare()
	for rule := range failed {
		if !known[rule] {
			t.Errorf("broken: %s", rule)
		}
	}
	t.Logf("%d rules are broken, %d by net/http alone", len(failed), len(known))
}

// startH2Spec runs the suite and returns what waits for it and returns the rules
// that are broken.
func startH2Spec(t *testing.T, addr, path string, args ...string) (failed func() map[string]bool) {
	t.Helper()
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(t.TempDir(), "junit.xml")
	p := run(t, nil, h2spec, append(args, "--strict", "--path", path, "--port", port, "--junit-report", report)...)
	return func() map[string]bool {
		t.Helper()
		if code := p.wait(); code != 0 && code != 1 {
			t.Fatalf("h2spec ended with %d", code)
		}
		text, err := os.ReadFile(report)
		if err != nil {
			t.Fatal(err)
		}
		var suites struct {
			Suites []struct {
				Cases []struct {
					Package string    `xml:"package,attr"`
					Rule    string    `xml:"classname,attr"`
					Failure *struct{} `xml:"failure"`
					Error   *struct{} `xml:"error"`
				} `xml:"testcase"`
			} `xml:"testsuite"`
		}
		if err := xml.Unmarshal(text, &suites); err != nil {
			t.Fatal(err)
		}
		broken, cases := map[string]bool{}, 0
		for _, suite := range suites.Suites {
			for _, c := range suite.Cases {
				cases++
				if c.Failure != nil || c.Error != nil {
					broken[c.Package+" "+c.Rule] = true
				}
			}
		}
		if cases < 140 {
			t.Fatalf("only %d rules were tried", cases)
		}
		return broken
	}
}
