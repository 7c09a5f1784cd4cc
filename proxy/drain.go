package proxy

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Drain ends the proxy without losing what it has accepted: first no new
// connections, and every answer tells its client to come no more; then unused
// connections are closed; and it waits for what is in flight. What is left when
// ctx ends is cut off and counted in the error. The ingress is drained first:
// the service needs its dependencies until it is done.
func (p *Proxy) Drain(ctx context.Context) error {
	if p.drains.Swap(true) {
		return nil
	}
	p.events.add(Event{Kind: KindDrain, Text: "draining"})
	p.options.Log.Info("draining")
	var faults []error
	for _, s := range p.servers() {
		if err := s.drain(ctx); err != nil {
			faults = append(faults, err)
		}
	}
	p.close()
	return errors.Join(faults...)
}

func (s *server) drain(ctx context.Context) error {
	s.listener.stop()
	wait(ctx, s.settle)
	err := s.http.Shutdown(ctx)
	if err == nil {
		err = s.requests.wait(ctx) // tunnels, of which the server does not know
	}
	if n := s.requests.count(); err != nil && n > 0 {
		return fmt.Errorf("%s: %d requests were cut off: %w", s.name, n, err)
	}
	return nil
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// close ends whatever is left.
func (p *Proxy) close() {
	p.end()
	for _, s := range p.servers() {
		s.http.Close()
		s.listener.Close()
	}
	t := p.table.Load()
	for _, r := range t.order {
		r.closeIdle()
	}
	if t.ingress != nil {
		t.ingress.closeIdle()
	}
	p.endQuotas()
}
