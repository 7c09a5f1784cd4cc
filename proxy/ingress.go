package proxy

import (
	"net/http"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/policy"
)

// serveIngress hands a request to the local service, if the intake admits it.
func (p *Proxy) serveIngress(w http.ResponseWriter, req *http.Request) {
	t := p.table.Load()
	r := t.ingress
	if r == nil {
		p.answer(w, req, problem{Status: http.StatusServiceUnavailable, Reason: reasonUndeclared, Detail: "The policy in force has no ingress."})
		return
	}
	if req.Method == http.MethodConnect || req.URL.IsAbs() {
		p.answer(w, req, problem{Status: http.StatusBadRequest, Reason: reasonClient, Detail: "This is not a proxy to other places."})
		return
	}
	if in := t.intake; in != nil {
		in.handler.ServeHTTP(w, req)
		return
	}
	r.forward(w, req, target{r, 0, req.URL, true})
}

// ingressRoute makes the way to the local service, which is a dependency like
// others, in the time that it has. How much of it there may be the intake decides.
func (p *Proxy) ingressRoute(f *policy.File, before *table) (*route, error) {
	in := f.Listen.Ingress
	if in.Address == "" {
		return nil, nil
	}
	d := policy.Dependency{
		URL:     policy.OneOrMore{in.To},
		Timeout: deadline.Config{Total: f.Inbound.Config(f.Service.Deadline).Deadline},
	}.Effective()
	d.HTTP.Idle = d.HTTP.StreamIdle // the service is trusted with its own answers
	name := serviceName(f)
	config := d.Config()
	old := before.ingressOr()
	if old != nil && old.name == name && old.guard.Config() == config && old.dep.URL[0] == in.To {
		return old, nil
	}
	l := p.lifeOf(" ingress") // no dependency has such a name
	l.name = name
	r := &route{proxy: p, name: name, ingress: true, dep: d, life: l}
	var err error
	if r.guard, err = stanch.New(name, config, stanch.WithObserver(l)); err != nil {
		return nil, err
	}
	if err := r.connect(); err != nil {
		return nil, err
	}
	r.handle()
	return r, nil
}

func (t *table) ingressOr() *route {
	if t == nil {
		return nil
	}
	return t.ingress
}
