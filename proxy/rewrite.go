package proxy

import (
	"crypto/rand"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"

	"github.com/stanch-go/stanch/shed"
	"github.com/stanch-go/stanch/stanchhttp"
)

// rewrite makes of the client's request the one that is sent on. What belongs
// to a single connection is gone by now.
func (r *route) rewrite(pr *httputil.ProxyRequest) {
	x := exchangeOf(pr.In.Context())
	out := pr.Out
	*out.URL = x.to.at(r.targets[x.start])
	out.Host = out.URL.Host
	if r.ingress {
		out.Host = pr.In.Host // the service is who was asked for
		if stanchhttp.AdmissionOf(x) != nil {
			delete(out.Header, shed.Header) // the context has it, as it was decided
		}
	}
	r.forwarded(pr)
	for name := range out.Header {
		if strings.HasPrefix(name, "Stanch-") {
			delete(out.Header, name) // ours to say
		}
	}
	r.proxy.addVia(out.Header, protocol(pr.In))
	if x.body != nil {
		out.Body, _ = x.body.again() // for the first time
		out.GetBody = x.body.again
		out.Trailer = pr.In.Trailer // which is filled when the body has come
	}
}

// forwarded tells the receiver who asked. The service's own calls are its own:
// what it says there of others stays, and there is nobody else to tell of. To
// the service the client is told; what the client says of others is dropped,
// unless it is a proxy to be trusted.
func (r *route) forwarded(pr *httputil.ProxyRequest) {
	names := []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"}
	trusted := !r.ingress || r.proxy.table.Load().policy.Listen.Ingress.TrustForwarded
	for _, name := range names {
		if values, ok := pr.In.Header[name]; ok && trusted {
			pr.Out.Header[name] = values
		}
	}
	if !r.ingress {
		return
	}
	h := pr.Out.Header
	host, proto := h.Get("X-Forwarded-Host"), h.Get("X-Forwarded-Proto")
	pr.SetXForwarded()
	if host != "" {
		h.Set("X-Forwarded-Host", host)
	}
	if proto != "" {
		h.Set("X-Forwarded-Proto", proto)
	}
	if client, _, err := net.SplitHostPort(pr.In.RemoteAddr); err == nil {
		h["Forwarded"] = append(h["Forwarded"][:len(h["Forwarded"]):len(h["Forwarded"])], "for="+node(client))
	}
}

// node writes an address as RFC 7239 section 6 asks.
func node(ip string) string {
	if strings.Contains(ip, ":") {
		return `"[` + ip + `]"`
	}
	return ip
}

// protocol is what a Via header says of how a message came, RFC 9110 section
// 7.6.3.
func protocol(r *http.Request) string {
	if r.ProtoMajor == 2 {
		return "2.0"
	}
	return strings.TrimPrefix(r.Proto, "HTTP/")
}

// addVia adds this process to those through which a message came. What nearly
// every message says is written once and shared.
func (p *Proxy) addVia(h http.Header, protocol string) {
	if len(h["Via"]) == 0 && protocol == "1.1" {
		h["Via"] = p.usualVia
		return
	}
	h["Via"] = append(h["Via"], protocol+" "+p.via)
}

// pseudonym names this process to others, so that it knows its own requests when
// they come back.
func pseudonym() string { return "stanch-" + strings.ToLower(rand.Text()[:6]) }

// circles reports whether a request has been here before.
func (p *Proxy) circles(h http.Header) bool {
	for _, via := range h["Via"] {
		if strings.Contains(via, p.via) {
			return true
		}
	}
	return false
}
