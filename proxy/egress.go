package proxy

import (
	"fmt"
	"net/http"
)

// serveEgress takes a call of the service to where it is to go.
func (p *Proxy) serveEgress(w http.ResponseWriter, req *http.Request) {
	t := p.table.Load()
	if p.circles(req.Header) {
		p.loops.Add(1)
		p.answer(w, req, problem{Status: http.StatusLoopDetected, Reason: reasonLoop, Detail: "The request has come back to where it was sent from."})
		return
	}
	if req.Method == http.MethodConnect {
		if r, ok := t.tunnel(req.Host); ok {
			r.tunnel(w, req)
			return
		}
	} else if to, ok := t.find(req); ok {
		to.route.forward(w, req, to)
		return
	}
	p.undeclared.Add(1)
	p.answer(w, req, problem{Status: http.StatusForbidden, Reason: reasonUndeclared, Detail: undeclared(req)})
}

// undeclared names what was asked for, without what may be secret in it.
func undeclared(req *http.Request) string {
	where := fmt.Sprintf("%q", req.Host)
	if first, _ := cutSegment(req.URL.Path); req.Method != http.MethodConnect && !req.URL.IsAbs() && first != "" {
		where += fmt.Sprintf(" or %q", first)
	}
	return "The policy declares no dependency " + where + "."
}
