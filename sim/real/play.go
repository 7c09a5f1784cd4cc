// Package real plays a sim.Model in real time: every service and dependency is
// an HTTP server on the loopback interface, every client a goroutine, and every
// guarded call goes through the same library as in production. What is counted,
// and how, is the same as in virtual time; only that here a millisecond takes
// one, and the machine does what machines do.
//
// Where virtual and real time agree, the simulator's figures can be believed.
package real

import (
	"context"
	"fmt"
	"time"

	"github.com/stanch-go/stanch/sim"
)

// maxOutstanding is the most requests of loads at once. Each has a socket at
// either end, and so has each call made for it.
const maxOutstanding = 20_000

// tick is how often Play reports and looks whether everything has ended.
const tick = 50 * time.Millisecond

// Play plays the model and returns its figures. It takes as long as the model
// says. progress, when not nil, is told now and then how much of the run has
// passed; once the load is over, total is when the last of it will be given up.
//
// When ctx ends the run ends at once, and the figures are those so far. Requests
// without an answer then, or when the model's time is up, count as hung; so do
// those of an open loop that were not sent because 20 000 were outstanding.
//
// An error means that the model is not valid, or that the machine could not play
// it, for instance because it ran out of file descriptors: figures of that would
// be worth nothing.
//
// When Play returns, nothing that it started is left, but for goroutines of
// net/http that are about to see that their connections are closed.
func Play(ctx context.Context, m *sim.Model, progress func(done, total time.Duration)) (sim.VariantResult, error) {
	if err := check(m); err != nil {
		return sim.VariantResult{}, err
	}
	w, err := newWorld(ctx, m)
	if err == nil {
		w.begin()
		w.watch(progress)
	}
	w.close()
	if err == nil {
		err = w.fault()
	}
	if err != nil {
		return sim.VariantResult{}, err
	}
	return w.rec.Result(), nil
}

// check refuses models that are faulty, or too large for one machine.
func check(m *sim.Model) error {
	if err := m.Validate(); err != nil {
		return err
	}
	if err := checkInbound(m); err != nil {
		return err
	}
	clients := 0
	for name, l := range m.Loads.All() {
		if clients += l.Clients; clients > maxOutstanding {
			return fmt.Errorf("loads.%s.clients: in real time there are at most %d clients", name, maxOutstanding)
		}
	}
	return nil
}

// watch returns when everything has ended, or must.
func (w *world) watch(progress func(done, total time.Duration)) {
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	for {
		select {
		case <-w.run.Done():
			return
		case <-ticks.C:
		}
		done, total := time.Duration(w.now()), w.model.Duration
		if done > total {
			total = w.model.End()
		}
		if progress != nil {
			progress(min(done, total), total)
		}
		if w.active.Load() == 0 || done >= w.model.End() {
			return
		}
	}
}
