package stanchhttp_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/shed"
	"github.com/stanch-go/stanch/stanchhttp"
)

var parameters = regexp.MustCompile(`;[^/]*`)

// FuzzInbound sends anything to a handler that lets each address in once. Whatever
// a client writes it is answered, no limit of a path is passed by another spelling
// of it, and only the trusted way of telling an address is believed.
func FuzzInbound(f *testing.F) {
	f.Add("192.0.2.1:80", "198.51.100.7", "/login", "critical", "250", "a")
	f.Add("[2001:db8::1%eth0]:80", "for=x, [::1]:8", "//x/../login/", "SHEDDABLE", "-1", "\x00")
	f.Add("192.0.2.1:80", "", "/x;a=1/..;b/login;c/d", "", "", "")
	f.Add("@", ",", "*", "", "99999999999999999999", strings.Repeat("x", 70))
	f.Fuzz(func(t *testing.T, remote, forwarded, target, priority, timeout, tenant string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.URL.Path, r.RemoteAddr = target, remote
		r.Header = http.Header{"X-Forwarded-For": {forwarded}, shed.Header: {priority}, "X-Envoy-Expected-Rq-Timeout-Ms": {timeout}, "X-Tenant": {tenant}}
		for _, trust := range []bool{false, true} {
			control := controller(t, inbound.Config{Limits: []inbound.Limit{
				{Name: "login", Route: "/login", Rate: 1, Window: time.Hour},
				{Name: "address", By: inbound.Address, Rate: 1, Window: time.Hour},
			}})
			h := stanchhttp.Inbound(http.HandlerFunc(ok), control, stanchhttp.InboundOptions{Tenant: "x-tenant", TrustForwarded: trust})
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			late := w.Code == http.StatusGatewayTimeout
			if w.Code != http.StatusOK && !late {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			clean := path.Clean(parameters.ReplaceAllString(target, ""))
			login := strings.HasPrefix(target, "/") && strings.HasPrefix(clean+"/", "/login/")
			if got := strings.Contains(w.Header().Get("RateLimit"), `"login"`); got != login && !late {
				t.Errorf("%q: by the limit of /login: %v", target, got)
			}
			if a, err := netip.ParseAddrPort(remote); err == nil && a.Addr().Is4() && !trust && !late {
				again := httptest.NewRequest("GET", "/other", nil)
				again.RemoteAddr = remote
				w = httptest.NewRecorder()
				h.ServeHTTP(w, again)
				if w.Code != http.StatusTooManyRequests {
					t.Errorf("%s was let in twice", remote)
				}
			}
		}
	})
}
