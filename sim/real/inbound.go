package real

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/quota"
	"github.com/stanch-go/stanch/shed"
	"github.com/stanch-go/stanch/sim"
	"github.com/stanch-go/stanch/stanchhttp"
)

// Who sends a request stands in these headers, and in shed.Header.
const (
	tenantHeader = "Sim-Tenant"
	userHeader   = "Sim-User"
)

// checkInbound refuses what needs virtual time.
func checkInbound(m *sim.Model) error {
	for name, s := range m.Services.All() {
		at := "services." + name
		if s.Count() > 1 {
			return fmt.Errorf("%s.instances: in real time there is one of each service", at)
		}
		if s.FixedWindow != nil {
			return fmt.Errorf("%s.fixed_window: there is none in real time", at)
		}
		if s.Inbound == nil {
			continue
		}
		for q, c := range s.Inbound.Quotas.All() {
			if c.Mode == quota.ModeCentral || c.Mode == quota.ModeLeased {
				return fmt.Errorf("%s.inbound.quotas.%s.mode: in real time quotas are embedded, there is no store", at, q)
			}
		}
	}
	return nil
}

// open puts the inbound section before the handler, if there is one.
func (s *service) open(next http.Handler) (http.Handler, error) {
	// Nothing outlasts the run, so that no caller can claim too much time.
	most := s.w.model.End()
	if s.spec.Inbound == nil {
		return stanchhttp.Handler(next, most), nil
	}
	control, err := inbound.New(s.name, s.spec.Inbound.Config(0), inbound.WithSeed(s.w.seeds.Uint64()), inbound.WithObserver(s))
	s.control = control
	return stanchhttp.Inbound(next, control, stanchhttp.InboundOptions{Tenant: tenantHeader, User: userHeader, MaxDeadline: most}), err
}

// ObserveInbound takes the events of the controller, which tell the machine's time.
func (s *service) ObserveInbound(e inbound.Event) {
	e.At = max(e.At-s.w.start, 0)
	s.w.rec.ObserveInbound(s.name, e)
}

// sampleEvery is often enough for the figures of each second.
const sampleEvery = 100 * time.Millisecond

// sample looks at the concurrency limit until the load is over.
func (s *service) sample() {
	for at := int64(0); at < int64(s.w.model.Duration) && s.w.until(s.w.run, at) == nil; at += int64(sampleEvery) {
		s.w.rec.Limit(s.name, at, s.control.Stats().Shed.Limit)
	}
}

type visitorKey struct{}

// visiting returns the context of a request that the visitor sends.
func visiting(ctx context.Context, v sim.Visitor) context.Context {
	if v == (sim.Visitor{}) {
		return ctx
	}
	return context.WithValue(ctx, visitorKey{}, v)
}

// introduce writes who sends a request, if that is known.
func introduce(h http.Header, ctx context.Context) {
	v, ok := ctx.Value(visitorKey{}).(sim.Visitor)
	if !ok {
		return
	}
	set := func(name, value string) {
		if value != "" {
			h.Set(name, value)
		}
	}
	set(tenantHeader, v.Tenant)
	set(userHeader, v.User)
	if v.HasPriority {
		h.Set(shed.Header, v.Priority.String())
	}
}

// introduced reads who sends a request. An admitted one has the priority that it
// was given.
func introduced(r *http.Request) (v sim.Visitor) {
	v.Tenant, v.User = r.Header.Get(tenantHeader), r.Header.Get(userHeader)
	v.Priority, v.HasPriority = shed.ParsePriority(r.Header.Get(shed.Header))
	if a := stanchhttp.AdmissionOf(r.Context()); a != nil {
		v.Priority, v.HasPriority = a.Priority(), true
	}
	return v
}

// leaving returns a context that ends when the client has waited long enough.
func leaving(ctx context.Context, patience time.Duration) (context.Context, context.CancelFunc) {
	if patience <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, patience)
}

// left reports whether the client's patience ended a request.
func left(ctx context.Context, err error) bool {
	return err != nil && (late(err) || errors.Is(ctx.Err(), context.DeadlineExceeded))
}

// hurry writes how much time is left, if there is an end.
func hurry(h http.Header, ctx context.Context) {
	if end, ok := ctx.Deadline(); ok {
		deadline.Write(h, time.Until(end))
	}
}
