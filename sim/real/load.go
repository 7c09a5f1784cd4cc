package real

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/sim"
)

// load sends the requests of a sim.Load.
type load struct {
	w           *world
	class       int
	spec        *sim.Load
	sends       *sim.Schedule // of an open loop
	who         *sim.Visitors // nil if its requests say nothing; under mu, for clients send at once
	mu          sync.Mutex
	from, until int64
	send        func(context.Context) (ending, error)
}

func newLoad(w *world, name string, spec *sim.Load) (*load, error) {
	l := &load{w: w, class: w.rec.Class(name), spec: spec, sends: spec.Schedule(w.model, w.stream())}
	l.from, l.until = spec.Span(w.model)
	if spec.Introduces() {
		l.who = spec.Visitors(w.stream())
	}
	to, _, _ := strings.Cut(spec.To, "/")
	if _, ok := w.model.Services.Get(to); ok {
		url, err := w.url(spec.To)
		l.send = visitor(w, url)
		return l, err
	}
	// Straight at a dependency: a client without a limit stands in between, so
	// that the load's calls can have a guard as well.
	client := newService(w, name, &sim.Service{Calls: []string{spec.To}})
	if err := client.connect(); err != nil {
		return nil, fmt.Errorf("loads.%s.to: %w", name, err)
	}
	l.send = func(ctx context.Context) (ending, error) { return client.handle(ctx, client.routes[""]), nil }
	return l, nil
}

// visitor sends requests to a service.
func visitor(w *world, url string) func(context.Context) (ending, error) {
	client := &http.Client{Transport: w.newWire()}
	return func(ctx context.Context) (ending, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return ending{}, err
		}
		introduce(req.Header, ctx)
		hurry(req.Header, ctx)
		resp, err := client.Do(req)
		if err != nil {
			return ending{}, err
		}
		resp.Body.Close()
		return readEnd(resp), nil
	}
}

func (l *load) begin() {
	if l.spec.Clients == 0 {
		l.w.spawn(l.open)
		return
	}
	for range l.spec.Clients {
		l.w.spawn(l.closed)
	}
}

// closed is one client, which waits for each answer.
func (l *load) closed() {
	for at := l.from; at < l.until && l.w.until(l.w.run, at) == nil; at = clock.Add(l.w.now(), l.spec.Think) {
		l.request(l.w.now())
	}
}

// open sends whatever becomes of the requests.
func (l *load) open() {
	for {
		at, ok := l.sends.Next()
		if !ok || l.w.until(l.w.run, at) != nil {
			return
		}
		select {
		case l.w.places <- struct{}{}:
		default:
			l.w.rec.Sent(l.class, at) // and never answered
			continue
		}
		l.w.spawn(func() {
			defer func() { <-l.w.places }()
			l.request(at)
		})
	}
}

// next draws who sends the next request.
func (l *load) next() (who sim.Visitor) {
	if l.who == nil {
		return who
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.who.Next()
}

// request sends one and waits for its end. Its time counts from when it was to
// be sent: a late sender does not make the answer any earlier.
func (l *load) request(at int64) {
	l.w.rec.Sent(l.class, at)
	who := l.next()
	ctx, stop := leaving(visiting(l.w.run, who), l.spec.Deadline)
	defer stop()
	end, err := l.send(ctx)
	if left(ctx, err) {
		end, err = ending{how: sim.EndFailed}, nil
	}
	if err == nil && !l.w.over() {
		l.w.rec.Ranked(who.Priority, end.how)
	}
	switch {
	case l.w.over():
	case err != nil:
		l.w.fail(err)
	default:
		l.w.rec.Completed(l.class, at, l.w.now(), end.how, end.reason)
	}
}
