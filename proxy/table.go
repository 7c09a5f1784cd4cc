package proxy

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/stanch-go/stanch/policy"
)

// A table is a policy made ready. It does not change.
type table struct {
	policy  *policy.Policy
	since   time.Time // in force
	set     *policy.Set
	byName  map[string]*route
	order   []*route
	hosts   map[string][]place // by host:port, the longest path first
	aliases map[string]string  // host without the port that its scheme implies -> host:port
	ingress *route             // nil when there is none
	intake  *intake            // nil when everything is taken in

	egressTLS, ingressTLS *identity // of the listeners, nil without TLS
}

// A place is where a dependency is, below a path of a host.
type place struct {
	route *route
	index int    // of the URL among the dependency's own
	path  string // without a slash at its end
}

// build makes a table, taking over from the one before it what is the same. All
// faults are returned.
func (p *Proxy) build(pol *policy.Policy, before *table) (*table, error) {
	t := &table{policy: pol, byName: map[string]*route{}, hosts: map[string][]place{}, aliases: map[string]string{}}
	var old *policy.Set
	if before != nil {
		old = before.set
	}
	var err error
	if t.set, err = pol.Build(old, p.observe()); err != nil {
		return nil, err
	}
	full := pol.Effective()
	var faults []error
	for name, d := range full.Dependencies.All() {
		guard, _ := t.set.Dependency(name)
		r, err := p.route(name, d, guard, pol.Fingerprint(name)+filesOf(d.TLS), before)
		if err != nil {
			faults = append(faults, fmt.Errorf("dependencies.%s.%w", name, err))
			continue
		}
		t.byName[name] = r
		t.order = append(t.order, r)
		t.place(r)
	}
	if t.ingress, err = p.ingressRoute(full, before); err != nil {
		faults = append(faults, fmt.Errorf("listen.ingress.%w", err))
	}
	if err := t.identify(before); err != nil {
		faults = append(faults, err)
	}
	if len(faults) == 0 {
		if t.intake, err = p.intakeOf(full, t.ingress, before); err != nil {
			faults = append(faults, fmt.Errorf("inbound.%w", err))
		}
	}
	return t, errors.Join(faults...)
}

func (t *table) place(r *route) {
	for i, u := range r.targets {
		key := hostPort(u)
		at := place{r, i, strings.TrimSuffix(u.EscapedPath(), "/")}
		all := t.hosts[key]
		k := 0
		for k < len(all) && len(all[k].path) >= len(at.path) {
			k++
		}
		t.hosts[key] = append(all[:k:k], append([]place{at}, all[k:]...)...)
		if host, port, _ := net.SplitHostPort(key); port == implied(u.Scheme) {
			if _, taken := t.aliases[host]; !taken || u.Scheme == "http" {
				t.aliases[host] = key
			}
		}
	}
}

// hostPort returns the host of a URL in one spelling, with its port.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = implied(u.Scheme)
	}
	return net.JoinHostPort(hostName(u.Hostname()), port)
}

func hostName(h string) string { return strings.TrimSuffix(strings.ToLower(h), ".") }

func implied(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}
