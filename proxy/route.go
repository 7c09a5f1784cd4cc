package proxy

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http/httputil"
	"net/url"
	"sync/atomic"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/policy"
	"github.com/stanch-go/stanch/stanchhttp"
)

// A route is the way to one dependency: guard, connections, alternatives. It is
// shared by all requests that begin under the same policy for it.
type route struct {
	proxy   *Proxy
	name    string
	ingress bool // to the local service itself
	dep     policy.Dependency
	print   string // tells policies of the dependency apart
	guard   *stanch.Dependency
	life    *life
	targets []*url.URL
	next    atomic.Uint32
	answers answers

	plain, h2c *stanchhttp.Transport // for http and https, and for HTTP/2 without TLS
	forwarder  *httputil.ReverseProxy
	dialer     net.Dialer // for tunnels

	// inFlight counts what still uses the connections, and from 1<<40 on that
	// nothing new will.
	inFlight atomic.Int64
}

const retired = 1 << 40

// route returns the route of a dependency: the one before if all of it is the
// same.
func (p *Proxy) route(name string, d policy.Dependency, guard *stanch.Dependency, print string, before *table) (*route, error) {
	var old *route
	if before != nil {
		old = before.byName[name]
	}
	if old != nil && old.guard == guard && old.print == print {
		return old, nil
	}
	r := &route{proxy: p, name: name, dep: d, print: print, guard: guard, life: p.lifeOf(name)}
	if err := r.connect(); err != nil {
		return nil, err
	}
	var err error
	if r.answers, err = r.prepare(old); err != nil {
		return nil, err
	}
	r.handle()
	return r, nil
}

// connect prepares the connections.
func (r *route) connect() error {
	var faults []error
	for i, raw := range r.dep.URL {
		u, err := url.Parse(raw)
		if err != nil {
			faults = append(faults, fmt.Errorf("url[%d]: %w", i, err))
			continue
		}
		r.targets = append(r.targets, u)
	}
	security, err := clientTLS(r.dep.TLS)
	if err != nil {
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	options := stanchhttp.Options{IdempotencyHeader: r.dep.IdempotencyHeader, Streams: true, Owned: true, Judge: judge}
	r.dialer.Timeout = cmp.Or(r.dep.Timeout.Connect, stanchhttp.DefaultConnect)
	plain, h2c := r.bases(security)
	r.plain = stanchhttp.New(r.guard, r.newAttempts(plain, true), options)
	r.h2c = stanchhttp.New(r.guard, r.newAttempts(h2c, false), options)
	if r.dep.HTTP.H2C {
		r.plain = r.h2c
	}
	return nil
}

// handle prepares what serves the requests.
func (r *route) handle() {
	r.forwarder = &httputil.ReverseProxy{
		Rewrite:        r.rewrite,
		Transport:      r,
		ModifyResponse: r.present,
		ErrorHandler:   r.failed,
		BufferPool:     buffers{},
		ErrorLog:       r.proxy.quiet(),
	}
}

// enter counts a request, and leave that it is over.
func (r *route) enter() { r.inFlight.Add(1) }

func (r *route) leave() {
	if r.inFlight.Add(-1) == retired {
		r.closeIdle()
	}
}

// retire closes the connections when the last request is over.
func (r *route) retire() {
	if r.inFlight.Add(retired) == retired {
		r.closeIdle()
	}
}

func (r *route) closeIdle() {
	r.plain.CloseIdleConnections()
	r.h2c.CloseIdleConnections()
}

// first returns the index of the URL that a request begins with.
func (r *route) first(index int) int {
	if index >= 0 || len(r.targets) == 1 {
		return max(index, 0)
	}
	return int(r.next.Add(1) % uint32(len(r.targets)))
}
