package stanchhttp

import (
	"crypto/sha256"
	"encoding/hex"
	"net"
	"net/http"
	"net/netip"
	"path"
	"strings"
	"time"

	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/shed"
)

// read says what is known of a request, and which attempt of its caller it is.
func (in *intake) read(r *http.Request) (q inbound.Request, attempt int) {
	q.Method, q.Path = strings.ToUpper(r.Method), cleaned(r.URL.Path)
	q.Tenant, q.User = named(r.Header, in.options.Tenant), named(r.Header, in.options.User)
	q.Address = in.address(r)
	if values := r.Header[shed.Header]; len(values) > 0 {
		q.Priority, q.HasPriority = shed.ParsePriority(values[0])
	}
	left, bounded, attempt := said(r, in.options.MaxDeadline, in.report)
	if bounded {
		q.Until = time.Now().Add(left)
	}
	return q, attempt
}

func (in *intake) report(err error) {
	if in.options.Report != nil {
		in.options.Report(err)
	}
}

// said returns the time that the caller has left, if it says so, and the number of
// its attempt, 0 if it does not say.
func said(r *http.Request, most time.Duration, report func(error)) (left time.Duration, bounded bool, attempt int) {
	left, bounded, err := deadline.Read(r.Header, most)
	if err != nil {
		report(err)
	}
	attempt, counted, err := deadline.ReadAttempt(r.Header)
	if err != nil {
		report(err)
	}
	if !counted {
		attempt = 0
	}
	return left, bounded, attempt
}

// cleaned is a path as limits and priorities know it: one that a server takes for
// the same must not pass for another.
func cleaned(p string) string {
	if p == "" {
		return "/"
	}
	if p[0] != '/' { // OPTIONS * has no path
		return p
	}
	if strings.IndexByte(p, ';') >= 0 {
		p = withoutParameters(p)
	}
	return path.Clean(p)
}

// withoutParameters takes those of its segments out of a path, as in
// "/login;v=1/x", which servers of Java leave out too.
func withoutParameters(p string) string {
	segments := strings.Split(p, "/")
	for i, s := range segments {
		segments[i], _, _ = strings.Cut(s, ";")
	}
	return strings.Join(segments, "/")
}

// named returns the first value of a header, or its hash where it is long: a key
// has a bounded size, and a token does not reach the store of a quota.
func named(h http.Header, name string) string {
	if name == "" {
		return ""
	}
	values := h[name]
	if len(values) == 0 {
		return ""
	}
	if len(values[0]) <= 64 {
		return values[0]
	}
	sum := sha256.Sum256([]byte(values[0]))
	return hex.EncodeToString(sum[:])
}

// address is where a request comes from: an address of IPv4, or the 64 bits of one
// of IPv6 that a network hands out. One host has all addresses below these.
func (in *intake) address(r *http.Request) string {
	if in.options.TrustForwarded {
		if values := r.Header["X-Forwarded-For"]; len(values) > 0 {
			last := values[len(values)-1]
			if a, ok := parseAddress(strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])); ok {
				return network(a)
			}
		}
	}
	host, port := r.RemoteAddr, strings.LastIndexByte(r.RemoteAddr, ':')
	if port >= 0 && strings.IndexByte(host, ':') == port {
		return host[:port] // of IPv4
	}
	if a, ok := parseAddress(host); ok {
		return network(a)
	}
	return host
}

// parseAddress reads an address that may have a port.
func parseAddress(s string) (netip.Addr, bool) {
	if a, err := netip.ParseAddr(s); err == nil {
		return a, true
	}
	host, _, err := net.SplitHostPort(s)
	if err != nil {
		host = strings.Trim(s, "[]")
	}
	a, err := netip.ParseAddr(host)
	return a, err == nil
}

func network(a netip.Addr) string {
	a = a.Unmap().WithZone("")
	if a.Is4() {
		return a.String()
	}
	p, err := a.Prefix(64)
	if err != nil {
		return a.String()
	}
	return p.String()
}
