package proxy_test

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// headers answers with the headers that it got, one a line.
func headers(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Answer", "yes")
	w.Header().Set("Connection", "X-Hop")
	w.Header().Set("X-Hop", "1")
	w.Header().Set("Keep-Alive", "timeout=5")
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		fmt.Fprintf(w, "%s: %s\n", name, strings.Join(r.Header[name], " | "))
	}
	fmt.Fprintf(w, "Host: %s\n", r.Host)
}

func TestHeadersOfRequests(t *testing.T) {
	s := one(t, "", headers)
	g := s.get("/",
		"Connection", "X-Secret, keep-alive", "X-Secret", "1", "Keep-Alive", "1", "Proxy-Authorization", "Basic x", "Proxy-Connection", "keep-alive", "Te", "gzip",
		"Via", "1.0 front", "Forwarded", "for=192.0.2.1", "X-Forwarded-For", "192.0.2.1", "Stanch-Source", "live", "X-Own", "kept", "User-Agent", "")
	for _, gone := range []string{"X-Secret:", "Keep-Alive:", "Proxy-Authorization:", "Proxy-Connection:", "Te:", "Stanch-Source:", "Connection:", "User-Agent:", "Accept-Encoding: gzip | "} {
		if strings.Contains(g.body, gone) {
			t.Errorf("%s was passed on:\n%s", gone, g.body)
		}
	}
	for _, stays := range []string{`(?m)^Via: 1.0 front \| 1.1 stanch-\w{6}$`, "(?m)^X-Own: kept$", "(?m)^X-Envoy-Attempt-Count: 1$",
		"(?m)^Forwarded: for=192.0.2.1$", "(?m)^X-Forwarded-For: 192.0.2.1$"} { // what the service itself says
		if !regexp.MustCompile(stays).MatchString(g.body) {
			t.Errorf("%s is missing:\n%s", stays, g.body)
		}
	}
	if !regexp.MustCompile(`^1.1 stanch-\w{6}$`).MatchString(g.Header.Get("Via")) || g.Header.Get("X-Answer") != "yes" {
		t.Errorf("the answer has %v", g.Header)
	}
	for _, gone := range []string{"X-Hop", "Keep-Alive"} {
		if g.Header.Get(gone) != "" {
			t.Errorf("%s was passed back", gone)
		}
	}
}

func TestForwardedAtTheIngress(t *testing.T) {
	to := serve(t, headers)
	ask := func(trust string) string {
		s := start(t, fmt.Sprintf(`listen: {egress: "127.0.0.1:0", ingress: {address: "127.0.0.1:0", to: %q%s}}`, to, trust))
		req, _ := http.NewRequestWithContext(t.Context(), "GET", "http://"+s.IngressAddr().String()+"/", nil)
		req.Host = "shop.example"
		for _, h := range [][2]string{{"Forwarded", "for=192.0.2.1"}, {"X-Forwarded-For", "192.0.2.1"}, {"X-Forwarded-Host", "evil"}, {"X-Forwarded-Proto", "https"}} {
			req.Header.Set(h[0], h[1])
		}
		return read(t, client(t, ""), req).body
	}
	check := func(body string, lines ...string) {
		t.Helper()
		for _, line := range append(lines, "Host: shop.example") {
			if !strings.Contains("\n"+body, "\n"+line+"\n") {
				t.Errorf("%s is missing:\n%s", line, body)
			}
		}
	}
	check(ask(""), "Forwarded: for=127.0.0.1", "X-Forwarded-For: 127.0.0.1", "X-Forwarded-Host: shop.example", "X-Forwarded-Proto: http")
	check(ask(", trust_forwarded: true"), "Forwarded: for=192.0.2.1 | for=127.0.0.1", "X-Forwarded-For: 192.0.2.1, 127.0.0.1", "X-Forwarded-Host: evil", "X-Forwarded-Proto: https")
}
