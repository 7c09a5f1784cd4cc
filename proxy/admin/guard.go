package admin

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/stanch-go/stanch/proxy/admin/page"
)

// guard lets only requests through that are made for this listener, and commands
// only from its own page or from no page at all.
func guard(next http.Handler) http.Handler {
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		refuse(w, req, problem{Status: http.StatusForbidden, Detail: "A page of another place must not give commands."})
	}))
	next = origin.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", page.Policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !bySocket(req) && !ofLoopback(req.Host) {
			refuse(w, req, problem{Status: http.StatusForbidden, Detail: "The host must be localhost or an address of loopback: a name that only leads here may be somebody else's."})
			return
		}
		req.Body = http.MaxBytesReader(w, req.Body, maxBody)
		next.ServeHTTP(w, req)
	})
}

// bySocket reports whether a request came by a unix socket, which no browser
// opens. Its host says nothing.
func bySocket(req *http.Request) bool {
	_, unix := req.Context().Value(http.LocalAddrContextKey).(*net.UnixAddr)
	return unix
}

// ofLoopback reports whether a host, with or without a port, is this machine in
// itself, and not because a name server says so.
func ofLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	return err == nil && ip.Unmap().IsLoopback()
}
