package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/stanch-go/stanch/policy"
)

// A server is one listener with what it serves.
type server struct {
	name     string
	listener *bounded
	http     *http.Server
	requests tracker
	settle   time.Duration
}

// listen opens the listeners. When one cannot be opened none is.
func (p *Proxy) listen(l policy.Listen) error {
	var faults []error
	var err error
	if p.egress, err = p.server("egress", l.Egress, p.options.Egress, p.serveEgress); err != nil {
		faults = append(faults, fmt.Errorf("listen.egress: %w", err))
	}
	if l.Ingress.Address != "" {
		if p.ingress, err = p.server("ingress", l.Ingress.Address, p.options.Ingress, p.serveIngress); err != nil {
			faults = append(faults, fmt.Errorf("listen.ingress.address: %w", err))
		}
	}
	if t := p.table.Load(); p.egress != nil && t.egressTLS != nil {
		p.egress.secure(func() *identity { return p.table.Load().egressTLS })
	}
	if t := p.table.Load(); p.ingress != nil && t.ingressTLS != nil {
		p.ingress.secure(func() *identity { return p.table.Load().ingressTLS })
	}
	if len(faults) > 0 {
		p.close()
	}
	return errors.Join(faults...)
}

func (p *Proxy) server(name, address string, given net.Listener, handler http.HandlerFunc) (*server, error) {
	if given == nil {
		var err error
		if given, err = net.Listen("tcp", address); err != nil {
			return nil, err
		}
	}
	s := &server{name: name, listener: newBounded(given, p.options.MaxConns), settle: p.options.Settle}
	s.http = &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			s.requests.enter()
			defer s.requests.leave()
			handler(w, req)
		}),
		ReadHeaderTimeout:            p.options.HeaderTimeout,
		IdleTimeout:                  p.options.KeepAlive,
		MaxHeaderBytes:               maxHeader,
		BaseContext:                  func(net.Listener) context.Context { return p.life },
		ErrorLog:                     p.quiet(),
		DisableGeneralOptionsHandler: true,
		Protocols:                    new(http.Protocols),
	}
	s.http.Protocols.SetHTTP1(true)
	s.http.Protocols.SetUnencryptedHTTP2(true)
	return s, nil
}

// secure has the server speak TLS, to each client as whoever it is then. The
// handshake has HeaderTimeout, as the header of a request has.
func (s *server) secure(now func() *identity) {
	s.http.TLSConfig = &tls.Config{
		MinVersion:         tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return now().config, nil },
	}
	s.http.Protocols.SetHTTP2(true)
	s.http.Protocols.SetUnencryptedHTTP2(false)
}

func (s *server) serve() error {
	if s.http.TLSConfig != nil {
		return s.http.ServeTLS(secured{s.listener}, "", "")
	}
	return s.http.Serve(s.listener)
}

// Serve serves until ctx ends, and then drains. It returns nil when nothing was
// cut off. It may be called once.
func (p *Proxy) Serve(ctx context.Context) error {
	failed := make(chan error, 2)
	for _, s := range p.servers() {
		go func() {
			if err := s.serve(); !errors.Is(err, http.ErrServerClosed) && !p.drains.Load() {
				failed <- fmt.Errorf("%s: %w", s.name, err)
			}
		}()
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.options.DrainTime)
	defer cancel()
	return errors.Join(err, p.Drain(bounded))
}

// servers returns the listeners in the order in which they are drained: what the
// service still has to do, it needs its dependencies for.
func (p *Proxy) servers() []*server {
	var all []*server
	for _, s := range []*server{p.ingress, p.egress} {
		if s != nil {
			all = append(all, s)
		}
	}
	return all
}

// Addr returns the address of the egress listener.
func (p *Proxy) Addr() net.Addr { return p.egress.listener.Addr() }

// IngressAddr returns the address of the ingress listener, nil when there is
// none.
func (p *Proxy) IngressAddr() net.Addr {
	if p.ingress == nil {
		return nil
	}
	return p.ingress.listener.Addr()
}

func (s *server) status() *ListenerStatus {
	if s == nil {
		return nil
	}
	return &ListenerStatus{Address: s.listener.Addr().String(), Connections: s.listener.open(), Most: s.listener.most, Requests: s.requests.count()}
}
