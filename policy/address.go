package policy

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Validate returns every fault of the addresses.
func (l Listen) Validate() error {
	var p problems
	egress, admin := cmp.Or(l.Egress, DefaultEgress), cmp.Or(l.Admin, DefaultAdmin)
	local, err := loopback(egress)
	switch {
	case err != nil:
		p.add("egress", "%v", err)
	case !local && !l.Exposed:
		p.add("egress", "other machines reach %s and could call every dependency; write 127.0.0.1 before the port, or exposed: true where that is meant", egress)
	case local && l.Exposed:
		p.add("exposed", "has no effect, other machines do not reach %s", egress)
	}
	if path, unix := strings.CutPrefix(admin, "unix:"); unix {
		p.check(path != "", "admin", "must have a path after unix:")
	} else if local, err := loopback(admin); err != nil {
		p.add("admin", "%v, or unix:PATH", err)
	} else if !local {
		p.add("admin", "other machines reach %s and could command the sidecar; write 127.0.0.1 before the port, or unix:PATH", admin)
	}
	p.below("egress_tls", l.EgressTLS.Validate())
	p.below("ingress", l.Ingress.Validate())
	for _, a := range []struct{ path, address string }{{"admin", admin}, {"ingress.address", l.Ingress.Address}} {
		_, port, err := net.SplitHostPort(a.address)
		p.check(err != nil || a.address != egress || port == "0", a.path, "must not be the address of egress, is %s", a.address)
	}
	p.check(l.Ingress.Address == "" || l.Ingress.Address != admin, "ingress.address", "must not be the address of admin, is %s", admin)
	return p.err()
}

// Validate returns every fault of the listener.
func (i Ingress) Validate() error {
	var p problems
	if i.Address == "" {
		p.check(i == (Ingress{}), "address", "must be given, or nothing else of the ingress has an effect")
	} else {
		if _, err := loopback(i.Address); err != nil {
			p.add("address", "%v", err)
		}
		p.check(i.To != "", "to", "must be given with an address")
	}
	if i.To != "" {
		if _, err := target(i.To); err != nil {
			p.add("to", "%v", err)
		}
	}
	p.below("tls", i.TLS.Validate())
	return p.err()
}

// loopback reports whether only this machine reaches an address.
func loopback(address string) (bool, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return false, fmt.Errorf("must be HOST:PORT, is %q", address)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return false, fmt.Errorf("must have a port between 0 and 65535, is %q", address)
	}
	if host == "localhost" {
		return true, nil
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback(), nil
}

// target reads the URL of a dependency.
func target(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("must be an absolute URL, such as http://host:8080, is %q", hidden(raw))
	case u.User != nil:
		return nil, errors.New("must not have a user or a password: the file and its copies would show them")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, fmt.Errorf("must have neither a query nor a fragment, is %q", hidden(raw))
	}
	if n, err := strconv.Atoi(cmp.Or(u.Port(), "80")); u.Hostname() == "" || err != nil || n < 1 || n > 65535 {
		return nil, fmt.Errorf("must have a host, and a port between 1 and 65535 if any, is %q", hidden(raw))
	}
	return u, nil
}

// hidden leaves out what may be a password.
func hidden(raw string) string {
	if at := strings.LastIndex(raw, "@"); at >= 0 {
		return short("..." + raw[at:])
	}
	return short(raw)
}

// place is what a call to u can be told by: the host, the port and the path.
func place(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	return net.JoinHostPort(host, port) + strings.TrimSuffix(u.EscapedPath(), "/")
}
