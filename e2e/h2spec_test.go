package e2e

import (
	"encoding/xml"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

// The sidecar keeps every rule of HTTP/2 that net/http's own server keeps. What
// that fails of h2spec, it answers in another way than the suite expects: with a
// 400 to what is malformed, and in HTTP/1.1 to what is no HTTP/2.
func TestH2Spec(t *testing.T) {
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "some data") }))
	s := guard(t, fmt.Sprintf("shop: {url: %q, timeout: {attempt: 10s}}", url))

	bare := startH2Spec(t, host(url), "/")
	failed := startH2Spec(t, s.addr, "/shop/")()
	known := bare()
	for rule := range failed {
		if !known[rule] {
			t.Errorf("broken: %s", rule)
		}
	}
	t.Logf("%d rules are broken, %d by net/http alone", len(failed), len(known))
}

// startH2Spec runs the suite and returns what waits for it and returns the rules
// that are broken.
func startH2Spec(t *testing.T, addr, path string) (failed func() map[string]bool) {
	t.Helper()
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(t.TempDir(), "junit.xml")
	p := run(t, nil, h2spec, "--strict", "--path", path, "--port", port, "--junit-report", report)
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
