package real

import (
	"context"
	"net/http"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/sim"
	"github.com/stanch-go/stanch/stanchhttp"
)

// caller makes one service's calls to one target.
type caller struct {
	url    string
	client *http.Client
	// With alternatives it is the question that is guarded, not the client.
	guard        *stanch.Dependency
	alternatives []stanch.Alternative[struct{}]
	alone        bool // nothing is handed on
	tells        bool // the remaining time and the attempt, which a guarded client tells itself
}

// newCaller puts the policy's guard, if there is one, before the target.
func (w *world) newCaller(to string, pools map[string]*bulkhead.Pool) (*caller, error) {
	url, err := w.url(to)
	if err != nil {
		return nil, err
	}
	wire := w.newWire()
	c := &caller{url: url, client: &http.Client{Transport: wire}, tells: true}
	g, ok := w.model.Policy.Get(to)
	if !ok || g.Bare() {
		return c, nil
	}
	d, err := g.Build(to, pools, stanch.WithSeed(w.seeds.Uint64()), stanch.WithObserver(stanch.ObserverFunc(w.observe)))
	if err != nil {
		return nil, err
	}
	c.alone = g.Alone
	name := g.Answer()
	if name == "" {
		c.client.Transport = stanchhttp.New(d, wire, stanchhttp.Options{OmitHeaders: g.Alone})
		c.tells = false
		return c, nil
	}
	c.tells = !g.Alone
	c.guard = d
	c.alternatives = []stanch.Alternative[struct{}]{stanch.Or(name, func(context.Context) (struct{}, error) { return struct{}{}, nil })}
	return c, nil
}

// call makes the call and returns how it ended and how many attempts it took.
func (c *caller) call(ctx context.Context) (end ending, attempts int) {
	ctx = counting(ctx, &attempts)
	var degraded bool
	var err error
	if c.guard == nil {
		err = c.get(ctx)
	} else {
		var answer stanch.Answer[struct{}]
		answer, err = stanch.Ask(ctx, c.guard, func(inner context.Context) (struct{}, error) {
			return struct{}{}, c.get(inner)
		}, c.alternatives...)
		degraded = answer.Degraded()
	}
	end.how, end.reason = sim.EndOf(attempts, degraded, err)
	return end, attempts
}

// get sends a request.
func (c *caller) get(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url, nil)
	if err != nil {
		return err
	}
	if !c.alone {
		introduce(req.Header, ctx)
	}
	if c.tells {
		hurry(req.Header, ctx)
		if n := deadline.AttemptOf(ctx); n > 0 {
			deadline.WriteAttempt(req.Header, n)
		}
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return stanchhttp.Check(resp)
}
