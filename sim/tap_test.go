package sim

import "pgregory.net/rapid"

// tapped is a world whose calls are watched from outside: by what passes
// between guards and targets, not by what the recorder counts.
type tapped struct {
	*world
	calls   map[string]int // that reached a dependency
	spans   map[string][]span
	arrived map[string][]int64 // when the requests came whose calls are made, bare ones only
	broken  []string           // what was seen that must not be
}

// span is a call from its beginning to its end; 0 while it has none.
type span struct{ from, to int64 }

// tap stands between a guard and its target.
type tap struct {
	t  *tapped
	s  *service
	to target
}

func (p *tap) call(c *callContext) error {
	t := p.t
	name, now := p.name(), t.sched.Now()
	if r, bare := c.ctx.(*request); bare {
		t.arrived[p.s.name] = append(t.arrived[p.s.name], r.arrived)
	}
	if _, ok := p.to.(*dependency); ok {
		t.calls[name]++
	}
	t.check()
	i := len(t.spans[name])
	t.spans[name] = append(t.spans[name], span{from: now})
	defer func() { t.spans[name][i].to = t.sched.Now() }()
	return p.to.call(c)
}

func (p *tap) name() string {
	if d, ok := p.to.(*dependency); ok {
		return d.name
	}
	return p.to.(*route).s.name
}

// check looks at every limit there is.
func (t *tapped) check() {
	bad := func(what string) {
		if len(t.broken) < 10 {
			t.broken = append(t.broken, what)
		}
	}
	for name, s := range t.services {
		if s.spec.Workers > 0 && s.busy > s.spec.Workers {
			bad("more workers than there are: " + name)
		}
		if s.busy < s.spec.Workers && s.queue.len() > 0 {
			bad("a worker idles before a queue: " + name)
		}
		if s.spec.Queue >= 0 && s.queue.len() > int(s.spec.Queue) {
			bad("more in the queue than have room: " + name)
		}
	}
	for name, d := range t.depends {
		capacity := d.spec.Phases[0].Capacity
		for _, p := range d.spec.Phases { // what was begun with more is finished with less
			if p.Capacity == 0 || capacity == 0 {
				capacity = 0
				break
			}
			capacity = max(capacity, p.Capacity)
		}
		if capacity > 0 && d.busy > capacity {
			bad("more in work than the capacity: " + name)
		}
		if d.busy < 0 || d.flight < d.busy {
			bad("more in work than in flight: " + name)
		}
	}
}

// Fire looks every millisecond.
func (t *tapped) Fire() {
	t.check()
	if next := t.sched.Now() + 1e6; next < int64(t.model.Duration) {
		t.sched.At(next, t)
	}
}

// playTapped plays the model and returns its figures and what was seen.
func playTapped(t *rapid.T, m *Model) (VariantResult, *tapped) {
	t.Helper()
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	w, err := newWorld(m)
	if err != nil {
		t.Fatal(err)
	}
	defer w.sched.Close()
	seen := &tapped{world: w, calls: map[string]int{}, spans: map[string][]span{}, arrived: map[string][]int64{}}
	services := []*service{}
	for _, s := range w.services {
		services = append(services, s)
	}
	for _, l := range w.loads {
		if w.services[l.route.s.name] != l.route.s {
			services = append(services, l.route.s) // the client of a load without a service
		}
	}
	for _, s := range services {
		done := map[*bound]bool{}
		for _, r := range s.routes {
			for _, b := range r.calls {
				if !done[b] { // a target has one guard, whichever route calls it
					done[b] = true
					b.to = &tap{seen, s, b.to}
				}
			}
		}
	}
	w.sched.At(0, seen)
	for _, l := range w.loads {
		l.start()
	}
	w.sched.Run(int64(m.End()), nil)
	seen.check()
	return w.rec.Result(), seen
}
