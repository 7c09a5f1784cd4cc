package demo

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/stanch-go/stanch/policy"
	"github.com/stanch-go/stanch/proxy"
	"github.com/stanch-go/stanch/proxy/admin"
)

// A sidecar is what "stanch run" runs, on free ports of the loopback interface.
type sidecar struct {
	url    string // at which the service reaches the dependency
	page   string
	policy string

	proxy  *proxy.Proxy
	end    context.CancelFunc
	served sync.WaitGroup
	failed [2]error // of the proxy and of its admin side
}

// startSidecar starts one before the dependency at that URL.
func startSidecar(url string) (*sidecar, error) {
	const free = "127.0.0.1:0"
	egress, err := net.Listen("tcp", free)
	if err != nil {
		return nil, err
	}
	command, err := admin.Listen(free)
	if err != nil {
		return nil, errors.Join(err, egress.Close())
	}
	s := &sidecar{
		url:    "http://" + egress.Addr().String() + "/recommend/",
		page:   "http://" + command.Addr().String() + "/",
		policy: policyText(egress.Addr().String(), command.Addr().String(), url),
	}
	log := slog.New(slog.DiscardHandler) // the screen is taken, and the page has its own log
	p, err := policy.Parse("policy.yaml", []byte(s.policy))
	if err == nil {
		s.proxy, err = proxy.New(p, proxy.Options{Egress: egress, Log: log, DrainTime: 5 * time.Second, Settle: time.Millisecond})
	}
	if err != nil {
		return nil, errors.Join(err, egress.Close(), command.Close())
	}
	s.serve(command, log)
	return s, nil
}

func (s *sidecar) serve(command net.Listener, log *slog.Logger) {
	var ctx context.Context
	ctx, s.end = context.WithCancel(context.Background())
	s.served.Go(func() { s.failed[0] = s.proxy.Serve(ctx) })
	s.served.Go(func() { s.failed[1] = admin.New(s.proxy, log).Serve(ctx, command) })
}

// breaker is the state of the circuit breaker.
func (s *sidecar) breaker() string { return s.proxy.Status().Dependencies[0].Breaker }

// close ends it when the service has been closed, and returns what went wrong.
func (s *sidecar) close() error {
	s.end()
	s.served.Wait()
	return errors.Join(s.failed[:]...)
}
