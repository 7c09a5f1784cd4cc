package proxy_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// echo answers with its name and what it was asked for.
func echo(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s %s", name, r.Host, r.URL.RequestURI())
	}
}

func TestWaysIn(t *testing.T) {
	shop, pay := serve(t, echo("shop")), serve(t, echo("pay"))
	s := start(t, fmt.Sprintf("dependencies: {shop: {url: %q}, pay: {url: %q}}", shop, pay+"/v1"))
	shopHost, payHost := strings.TrimPrefix(shop, "http://"), strings.TrimPrefix(pay, "http://")
	for _, tt := range []struct {
		name, via, url, host, want string // want is the status where there is no answer
	}{
		{"name in the path", "", s.URL + "/shop/a/b?c=d", "", "shop " + shopHost + " /a/b?c=d"},
		{"name alone", "", s.URL + "/shop", "", "shop " + shopHost + " /"},
		{"name with a query", "", s.URL + "/shop?x", "", "shop " + shopHost + " /?x"},
		{"below the URL's path", "", s.URL + "/pay/x", "", "pay " + payHost + " /v1/x"},
		{"escapes stay", "", s.URL + "/shop/a%2Fb%20c/%C3%A9?q=%2F+x", "", "shop " + shopHost + " /a%2Fb%20c/%C3%A9?q=%2F+x"},
		{"dots stay", "", s.URL + "/shop/a/../b//c", "", "shop " + shopHost + " /a/../b//c"},
		{"name as host", "", s.URL + "/shop/x", "shop", "shop " + shopHost + " /shop/x"},
		{"name as host with a port", "", s.URL + "/x", "SHOP:15001", "shop " + shopHost + " /x"},
		{"its own host", "", s.URL + "/x", shopHost, "shop " + shopHost + " /x"},
		{"its own host, another path", "", s.URL + "/x", payHost, "403"},
		{"its own host and path", "", s.URL + "/v1/x", payHost, "pay " + payHost + " /v1/x"},
		{"a path that only begins so", "", s.URL + "/v1x", payHost, "403"},
		{"proxy", s.URL, shop + "/x?y", "", "shop " + shopHost + " /x?y"},
		{"proxy to a path", s.URL, pay + "/v1/x", "", "pay " + payHost + " /v1/x"},
		{"proxy to another path", s.URL, pay + "/v2/x", "", "403"},
		{"proxy to elsewhere", s.URL, "http://example.com/", "", "403"},
		{"proxy to another port", s.URL, "http://127.0.0.1:1/", "", "403"},
		{"not declared", "", s.URL + "/nobody/x", "", "403"},
		{"nothing named", "", s.URL + "/", "", "403"},
		{"a prefix of a name", "", s.URL + "/sho/x", "", "403"},
		{"more than a name", "", s.URL + "/shopping/x", "", "403"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req, _ := http.NewRequestWithContext(t.Context(), "GET", tt.url, nil)
			if tt.host != "" {
				req.Host = tt.host
			}
			g := read(t, client(t, tt.via), req)
			if tt.want == "403" {
				if g.StatusCode != 403 || !strings.Contains(g.body, `"reason":"undeclared"`) || g.Header.Get("Content-Type") != "application/problem+json" {
					t.Errorf("got %d %s", g.StatusCode, g.body)
				}
				return
			}
			if g.body != tt.want || g.Header.Get("Stanch-Source") != "live" || g.Header.Get("Stanch-Attempts") != "1" {
				t.Errorf("got %d %q %v, want %q", g.StatusCode, g.body, g.Header, tt.want)
			}
		})
	}
	if n := s.Status().Undeclared; n != 9 {
		t.Errorf("%d requests were to what is not declared", n)
	}
}

// What is secret must not come back in an answer, which somebody may log.
func TestUndeclaredTellsNoSecrets(t *testing.T) {
	s := one(t, "", echo("shop"))
	for _, target := range []string{"http://user:hunter2@example.com/x?token=hunter2", "http://example.com/hunter2?token=hunter2"} {
		req, _ := http.NewRequestWithContext(t.Context(), "GET", target, nil)
		g := read(t, client(t, s.URL), req)
		if g.StatusCode != 403 || strings.Contains(g.body, "hunter2") {
			t.Errorf("%s: %d %s", target, g.StatusCode, g.body)
		}
	}
	if strings.Contains(s.log.String(), "hunter2") {
		t.Error("logged: ", s.log)
	}
}

// Two dependencies may be below different paths of one host.
func TestOneHostTwoDependencies(t *testing.T) {
	gateway := serve(t, echo("gateway"))
	s := start(t, fmt.Sprintf("dependencies: {all: {url: %q}, item: {url: %q}, deep: {url: %q}}", gateway, gateway+"/item", gateway+"/item/deep/"))
	asked := map[string]uint64{}
	for _, tt := range [][2]string{{"/x", "all"}, {"/item", "item"}, {"/item/x", "item"}, {"/items", "all"}, {"/item/deep", "deep"}, {"/item/deep/x", "deep"}} {
		req, _ := http.NewRequestWithContext(t.Context(), "GET", gateway+tt[0], nil)
		read(t, client(t, s.URL), req)
		asked[tt[1]]++
		for _, d := range s.Status().Dependencies {
			if d.Calls["ok"] != asked[d.Name] {
				t.Errorf("%s: %d calls to %s, want %d", tt[0], d.Calls["ok"], d.Name, asked[d.Name])
			}
		}
	}
	// Where it would be the server that decides whose path it is, nobody is asked.
	u, _ := url.Parse(s.URL)
	if answer := raw(t, u.Host, "GET "+gateway+"/item/../x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); !strings.HasPrefix(answer, "HTTP/1.1 403 ") {
		t.Error(answer)
	}
}

// Several URLs are used in turn, and another attempt goes to another one.
func TestSeveralURLs(t *testing.T) {
	bad := serve(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) })
	good := serve(t, echo("good"))
	s := start(t, fmt.Sprintf(`dependencies: {shop: {url: [%q, %q], retry: {attempts: 2, base: 1ms}}}`, bad+"/a", good+"/b"))
	tries := map[string]int{}
	for range 4 {
		g := s.get("/x")
		g.is(t, 200, "live", "")
		if want := "good " + strings.TrimPrefix(good, "http://") + " /b/x"; g.body != want {
			t.Errorf("got %q, want %q", g.body, want)
		}
		tries[g.Header.Get("Stanch-Attempts")]++
	}
	if tries["1"] != 2 || tries["2"] != 2 {
		t.Errorf("attempts: %v", tries)
	}
}

func TestLoop(t *testing.T) {
	var self string
	s := one(t, "", func(w http.ResponseWriter, r *http.Request) {
		req, _ := http.NewRequestWithContext(r.Context(), "GET", self+"/shop/", nil)
		req.Header["Via"] = r.Header["Via"]
		resp, err := client(t, "").Do(req)
		if err == nil {
			w.WriteHeader(resp.StatusCode)
			resp.Body.Close()
		}
	})
	self = s.URL
	if g := s.get("/"); g.StatusCode != http.StatusLoopDetected {
		t.Errorf("got %d %s", g.StatusCode, g.body)
	}
	if n := s.Status().Loops; n != 1 {
		t.Errorf("%d loops", n)
	}
}
