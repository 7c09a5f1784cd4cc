package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

func ingress(t *testing.T, settings, service string, handler http.HandlerFunc) (*sidecar, string) {
	t.Helper()
	s := start(t, fmt.Sprintf(`
listen: {egress: "127.0.0.1:0", ingress: {address: "127.0.0.1:0", to: %q%s}}
service: {name: shop%s}`, serve(t, handler)+"/app", settings, service))
	return s, "http://" + s.IngressAddr().String()
}

func TestIngress(t *testing.T) {
	s, url := ingress(t, "", ", deadline: 10s", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Host, r.URL, r.Header.Get("X-Envoy-Expected-Rq-Timeout-Ms"))
	})
	req, _ := http.NewRequestWithContext(t.Context(), "GET", url+"/x", nil)
	req.Header.Set("X-Envoy-Expected-Rq-Timeout-Ms", "5000")
	g := read(t, client(t, ""), req)
	left, ok := strings.CutPrefix(g.body, s.IngressAddr().String()+"/app/x")
	if n, err := strconv.Atoi(left); !ok || err != nil || n < 1 || n > 5000 { // what is left of the 5000
		t.Errorf("got %q", g.body)
	}
	if d := s.shop(); !d.Local || d.Name != "shop" || d.Calls["ok"] != 1 || s.Status().Inbound != nil {
		t.Errorf("counted %+v", d)
	}
	for _, text := range []string{"CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "GET http://example.com/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"} {
		if answer := raw(t, s.IngressAddr().String(), text); answer[:13] != "HTTP/1.1 400 " {
			t.Errorf("%s: %s", text, answer)
		}
	}
}

func TestIngressDeadline(t *testing.T) {
	_, url := ingress(t, "", ", deadline: 40ms", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/app/stream" { // the time is for the header
			w.(http.Flusher).Flush()
			<-time.After(80 * ms)
			io.WriteString(w, "late")
			return
		}
		hang(w, r)
	})
	req, _ := http.NewRequestWithContext(t.Context(), "GET", url+"/stream", nil)
	if g := read(t, client(t, ""), req); g.StatusCode != 200 || g.body != "late" {
		t.Errorf("stream: %d %q", g.StatusCode, g.body)
	}
	req, _ = http.NewRequestWithContext(t.Context(), "GET", url+"/", nil)
	read(t, client(t, ""), req).is(t, 504, "", "")
}
