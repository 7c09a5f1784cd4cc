package demo

import (
	"context"
	"errors"
	"time"
)

// Run plays the incident until it is over or ctx ends, and returns what
// happened; told to hold, it waits for the end of ctx. Again and again it calls show, on its own goroutine, with what has
// happened so far. Nothing that it started is left when it returns.
func Run(ctx context.Context, cfg Config, every time.Duration, show func(Report)) (r Report, err error) {
	w := &world{cfg: cfg, began: time.Now()}
	defer func() { err = errors.Join(err, w.close()) }()
	if err := w.build(); err != nil {
		return r, err
	}
	visits, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	over := make(chan struct{})
	go func() {
		defer close(over)
		w.load(ctx, visits)
	}()
	w.watch(over, every, show)
	end() // of the visits that would go on
	for _, s := range w.sides {
		s.users.leave()
	}
	r = w.report(time.Now())
	r.Early = r.Elapsed < cfg.Duration
	if r.Held = cfg.Hold && !r.Early; r.Held {
		show(r)
		w.hold(ctx)
	}
	return r, nil
}

// load lets users come to both services at the same moments, and then waits a
// little for those who came last.
func (w *world) load(ctx, visits context.Context) {
	next := time.NewTimer(0)
	defer next.Stop()
	last := w.began.Add(w.cfg.Duration + w.cfg.Tick/2)
	for i, n := 0, w.cfg.visits(); ; {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
		now := time.Now()
		if !now.Before(last) {
			return
		}
		for ; i < n && !w.due(i).After(now); i++ {
			w.late.Store(max(w.late.Load(), int64(now.Sub(w.due(i)))))
			for _, s := range w.sides {
				s.users.come(visits, w.due(i))
			}
		}
		if i < n {
			next.Reset(time.Until(w.due(i)))
		} else {
			next.Reset(time.Until(last))
		}
	}
}

// due is when visit i is.
func (w *world) due(i int) time.Time {
	return w.began.Add(time.Duration(i) * time.Second / time.Duration(w.cfg.Rate))
}

// watch shows what happens until it is over.
func (w *world) watch(over <-chan struct{}, every time.Duration, show func(Report)) {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for {
		select {
		case <-over:
			return
		case now := <-ticks.C:
			show(w.report(now))
		}
	}
}

func (w *world) report(now time.Time) Report {
	r := Report{Config: w.cfg, Page: w.sidecar().page, Policy: w.sidecar().policy, Elapsed: min(now.Sub(w.began), w.cfg.Duration), Late: time.Duration(w.late.Load())}
	for i, told := range []*Service{&r.Bare, &r.Guarded} {
		s := w.sides[i]
		s.book.tell(told, w.began.Add(r.Elapsed))
		told.Working, told.Queued = len(s.service.workers), int(s.service.waiting.Load())
		told.Calls, told.Peak = s.dependency.counts()
	}
	r.Guarded.Breaker = w.sidecar().breaker()
	return r
}

// hold lets users go on coming to the guarded service, uncounted, until ctx ends,
// so that there is something to see on the page.
func (w *world) hold(ctx context.Context) {
	u := newUsers(w.guarded().front.url, w.cfg, nil)
	defer u.leave()
	next := time.NewTicker(time.Second / time.Duration(w.cfg.Rate))
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-next.C:
			u.come(ctx, now)
		}
	}
}
