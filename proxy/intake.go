package proxy

import (
	"cmp"
	"net/http"
	"time"

	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/policy"
	"github.com/stanch-go/stanch/stanchhttp"
)

// An intake decides which requests reach the service.
type intake struct {
	control *inbound.Controller
	handler http.Handler
	shared  quotas
}

// longest is the most time that a client may claim, for a stream.
const longest = 24 * time.Hour

// intakeOf makes the intake of a policy in front of the service's route. What the
// one before knows of its clients stays known. It changes the one before, so it
// comes when nothing else of the policy can fail; start makes it whole.
func (p *Proxy) intakeOf(f *policy.File, r *route, before *table) (*intake, error) {
	if f.Inbound == nil || r == nil {
		return nil, nil
	}
	in := &intake{}
	options := []inbound.Option{inbound.WithObserver(&p.tally)}
	old := before.intakeOr()
	if old != nil {
		options = append(options, inbound.WithBefore(old.control))
	}
	var err error
	if in.shared, err = p.quotasOf(serviceName(f), f.Inbound, old); err != nil {
		return nil, err
	}
	for _, q := range in.shared {
		options = append(options, inbound.WithQuota(q.name, q.Quota))
	}
	if in.control, err = f.Controller(options...); err != nil {
		in.shared.drop(old)
		return nil, err
	}
	next := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { r.forward(w, req, target{r, 0, req.URL, true}) })
	in.handler = stanchhttp.Inbound(next, in.control, stanchhttp.InboundOptions{
		Tenant: f.Inbound.Identity.Tenant, User: f.Inbound.Identity.User,
		TrustForwarded: f.Listen.Ingress.TrustForwarded, MaxDeadline: longest, Streams: true, Mark: p.mark,
	})
	return in, nil
}

func serviceName(f *policy.File) string { return cmp.Or(f.Service.Name, "service") }

func (t *table) intakeOr() *intake {
	if t == nil {
		return nil
	}
	return t.intake
}

// mark makes a refusal one of the proxy's answers.
func (p *Proxy) mark(h http.Header, req *http.Request) {
	h[HeaderAttempts] = noAttempt
	h["Via"] = []string{protocol(req) + " " + p.via}
	if req.ProtoMajor == 1 && p.drains.Load() {
		h.Set("Connection", "close")
	}
}

var noAttempt = []string{"0"}
