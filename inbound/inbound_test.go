package inbound_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/adaptive"
	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/quota"
	"github.com/stanch-go/stanch/shed"
)

// events remembers what an observer was told.
type events struct {
	mu    sync.Mutex
	steps []inbound.Step
}

func (e *events) ObserveInbound(x inbound.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.steps = append(e.steps, x.Step)
}

func control(t *testing.T, cfg inbound.Config, options ...inbound.Option) *inbound.Controller {
	t.Helper()
	c, err := inbound.New("shop", cfg, options...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestOrder(t *testing.T) {
	all := inbound.Config{
		MinRemaining: 10 * time.Millisecond,
		Limits: []inbound.Limit{
			{Name: "tenant", By: inbound.Tenant, Rate: 3, Window: time.Minute},
			{Name: "search", Route: "GET /search", Rate: 2, Window: time.Minute},
		},
		Quotas:      []inbound.Quota{{Name: "all", Config: quota.Config{Rate: 4, Window: time.Minute}}},
		Concurrency: inbound.Concurrency{Config: shed.Config{Limit: 1}},
	}
	c := control(t, all)
	search := inbound.Request{Method: "GET", Path: "/search/x", Tenant: "a"}
	late := search
	late.Until = time.Now().Add(time.Millisecond)
	for _, step := range []struct {
		name   string
		r      inbound.Request
		reason stanch.Reason
		by     string
		states int
	}{
		{"no time left, and nothing is charged", late, stanch.ErrDeadline, "", 0},
		{"first", search, "", "", 3},
		{"second", search, "", "", 3},
		{"the route is used up", search, stanch.ErrRateLimited, "search", 2},
		{"the tenant paid for the refused one too", inbound.Request{Path: "/", Tenant: "a"}, stanch.ErrRateLimited, "tenant", 1},
		{"another tenant elsewhere", inbound.Request{Path: "/", Tenant: "b"}, "", "", 2},
		{"and once more", inbound.Request{Path: "/searching", Tenant: "b"}, "", "", 2},
		{"the quota of all is spent", inbound.Request{Path: "/", Tenant: "c"}, stanch.ErrQuota, "all", 2},
	} {
		a, err := c.Admit(t.Context(), step.r)
		switch refusal, ok := errors.AsType[*stanch.Refusal](err); {
		case step.reason == "" && err != nil:
			t.Errorf("%s: %v", step.name, err)
		case step.reason != "" && (!ok || refusal.Reason != step.reason):
			t.Errorf("%s: %v, want %v", step.name, err, step.reason)
		}
		if a.By() != step.by || len(a.States()) != step.states {
			t.Errorf("%s: by %q, %d states; want %q, %d", step.name, a.By(), len(a.States()), step.by, step.states)
		}
		a.Done(outcome.Success)
	}
}

func TestDeadlineIsTheEarliest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c := control(t, inbound.Config{Deadline: time.Second})
		ctx, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
		defer cancel()
		for _, step := range []struct {
			ctx  context.Context
			r    inbound.Request
			want time.Duration
		}{
			{t.Context(), inbound.Request{}, time.Second},
			{t.Context(), inbound.Request{Until: start.Add(time.Hour)}, time.Second},
			{t.Context(), inbound.Request{Until: start.Add(300 * time.Millisecond)}, 300 * time.Millisecond},
			{ctx, inbound.Request{Until: start.Add(500 * time.Millisecond)}, 400 * time.Millisecond},
		} {
			a, err := c.Admit(step.ctx, step.r)
			at, ok := a.Deadline()
			if err != nil || !ok || at.Sub(start) != step.want {
				t.Errorf("%v %v after %v, want %v", err, ok, at.Sub(start), step.want)
			}
		}
	})
}

// The queue, its end, and the caller that leaves while it waits.
func TestConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen events
		c := control(t, inbound.Config{Concurrency: inbound.Concurrency{Config: shed.Config{Limit: 1}}}, inbound.WithObserver(&seen))
		first, err := c.Admit(t.Context(), inbound.Request{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Admit(t.Context(), inbound.Request{}); !errors.Is(err, stanch.ErrQueueTimeout) {
			t.Fatalf("%v, want a queue timeout", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, cancel)
		if _, err := c.Admit(ctx, inbound.Request{}); err != context.Canceled {
			t.Fatalf("%v, want that the caller left", err)
		}
		time.AfterFunc(2*time.Millisecond, func() { first.Done(outcome.Success); first.Done(outcome.Failure) })
		waited, err := c.Admit(t.Context(), inbound.Request{})
		if err != nil || waited.Wait() != 2*time.Millisecond {
			t.Fatalf("%v after %v", err, waited.Wait())
		}
		if n := c.Stats().Shed.InFlight; n != 1 {
			t.Errorf("%d in flight", n)
		}
		waited.Done(outcome.Success)
		if n := c.Stats().Shed.InFlight; n != 0 {
			t.Errorf("%d in flight after the end", n)
		}
		want := []inbound.Step{inbound.Admitted, inbound.Refused, inbound.Left, inbound.Ended, inbound.Admitted, inbound.Ended}
		if got := seen.steps; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}

func TestPriorities(t *testing.T) {
	p := inbound.Priorities{Default: "sheddable-plus", Routes: []inbound.RoutePriority{
		{Route: "/orders", Priority: "critical-plus"},
		{Route: "/orders/export", Priority: "sheddable"},
		{Route: "POST /orders/export", Priority: "critical"},
	}}
	says := inbound.Request{Path: "/x", Priority: shed.CriticalPlus, HasPriority: true}
	for _, c := range []struct {
		r     inbound.Request
		trust bool
		want  shed.Priority
	}{
		{inbound.Request{Path: "/x"}, true, shed.SheddablePlus},
		{says, false, shed.SheddablePlus},
		{says, true, shed.CriticalPlus},
		{inbound.Request{Path: "/orders/1"}, true, shed.CriticalPlus},
		{inbound.Request{Path: "/ordersheet"}, true, shed.SheddablePlus},
		{inbound.Request{Path: "/orders/export/1", Priority: shed.CriticalPlus, HasPriority: true}, true, shed.Sheddable},
		{inbound.Request{Method: "POST", Path: "/orders/export"}, true, shed.Critical},
	} {
		p.Trust = c.trust
		a, err := control(t, inbound.Config{Priorities: p}).Admit(t.Context(), c.r)
		if err != nil || a.Priority() != c.want {
			t.Errorf("%+v: %v %v, want %v", c.r, a.Priority(), err, c.want)
		}
	}
}

// What was used stays used when the limits change, and who is in flight stays in
// flight.
func TestTakesOver(t *testing.T) {
	cfg := inbound.Config{
		Limits:      []inbound.Limit{{Name: "all", Rate: 2, Window: time.Hour}, {Name: "t", By: inbound.Tenant, Rate: 9, Window: time.Hour}},
		Quotas:      []inbound.Quota{{Name: "q", Config: quota.Config{Rate: 9, Window: time.Hour}}},
		Concurrency: inbound.Concurrency{Config: shed.Config{Limit: 5}},
	}
	first := control(t, cfg)
	held, err := first.Admit(t.Context(), inbound.Request{})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Limits = []inbound.Limit{{Name: "all", Rate: 3, Window: time.Hour}, cfg.Limits[1]}
	second := control(t, cfg, inbound.WithBefore(first))
	a, err := second.Admit(t.Context(), inbound.Request{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int64{1, 7, 7} {
		if got := a.States()[i].Whole(); got != want {
			t.Errorf("state %d: %d remain, want %d", i, got, want)
		}
	}
	if n := second.Stats().Shed.InFlight; n != 2 {
		t.Errorf("%d in flight, want 2", n)
	}
	held.Done(outcome.Success)
	a.Done(outcome.Success)
	if n := second.Stats().Shed.InFlight; n != 0 {
		t.Errorf("%d in flight, want 0", n)
	}
}

// A limit that changes forgets nobody who is in flight: once each change let as
// many more in as the limit says. Who waits has the place that a higher one gives.
func TestConcurrencyChanges(t *testing.T) {
	limit := func(n int) inbound.Config {
		return inbound.Config{Concurrency: inbound.Concurrency{Config: shed.Config{Limit: n}}}
	}
	synctest.Test(t, func(t *testing.T) {
		first := control(t, limit(2))
		one, _ := first.Admit(t.Context(), inbound.Request{})
		two, _ := first.Admit(t.Context(), inbound.Request{})
		waited := make(chan error)
		go func() {
			three, err := first.Admit(t.Context(), inbound.Request{})
			three.Done(outcome.Success)
			waited <- err
		}()
		synctest.Wait()
		second := control(t, limit(3), inbound.WithBefore(first))
		if err := <-waited; err != nil {
			t.Errorf("there is a place for who waits: %v", err)
		}
		third := control(t, limit(1), inbound.WithBefore(second))
		one.Done(outcome.Success)
		if _, err := third.Admit(t.Context(), inbound.Request{}); err == nil {
			t.Error("one of one is in flight, and another was admitted")
		}
		two.Done(outcome.Success)
		four, err := third.Admit(t.Context(), inbound.Request{})
		if err != nil {
			t.Error(err)
		}
		four.Done(outcome.Success)
		off := control(t, inbound.Config{}, inbound.WithBefore(third))
		if s := off.Stats().Shed; s.InFlight != 0 || s.Limit != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// An adaptive limit goes on from where it is, within what it may be now; without a
// change it is the same, and one that comes anew begins.
func TestAdaptiveChanges(t *testing.T) {
	of := func(a *adaptive.Config) inbound.Config {
		return inbound.Config{Concurrency: inbound.Concurrency{Adaptive: a}}
	}
	c := control(t, of(&adaptive.Config{Initial: 7}))
	for _, step := range []struct {
		to   *adaptive.Config
		want int
	}{
		{&adaptive.Config{Initial: 7}, 7},
		{&adaptive.Config{Initial: 50}, 7},
		{&adaptive.Config{Min: 9}, 9},
		{&adaptive.Config{Max: 3}, 3},
		{nil, 0},
		{&adaptive.Config{Initial: 50}, 50},
	} {
		c = control(t, of(step.to), inbound.WithBefore(c))
		if s := c.Stats(); s.Shed.Limit != step.want || (s.Adaptive != nil) != (step.to != nil) {
			t.Errorf("%+v: limit %d, want %d", step.to, s.Shed.Limit, step.want)
		}
	}
}

// slow is a quota without an answer.
type slow struct{ d quota.Decision }

func (s slow) Allow(ctx context.Context, _ string, _ float64) quota.Decision {
	<-ctx.Done()
	s.d.Err = ctx.Err()
	return s.d
}
func (slow) Set(quota.Config) error { return nil }

func TestQuotaThatDoesNotAnswer(t *testing.T) {
	cfg := inbound.Config{Quotas: []inbound.Quota{{Name: "q", Config: quota.Config{Rate: 1, Mode: quota.ModeCentral}}}}
	if _, err := inbound.New("shop", cfg); err == nil || !strings.Contains(err.Error(), "quotas.q: mode: central needs a store") {
		t.Errorf("%v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := control(t, cfg, inbound.WithQuota("q", slow{})).Admit(ctx, inbound.Request{}); err != context.Canceled {
			t.Errorf("%v, want that the caller left", err)
		}
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		a, err := control(t, cfg, inbound.WithQuota("q", slow{})).Admit(ctx, inbound.Request{})
		if refusal, ok := errors.AsType[*stanch.Refusal](err); !ok || refusal.Reason != stanch.ErrDeadline || a.By() != "" {
			t.Errorf("%v by %q, want that the time is over", err, a.By())
		}
	})
}

func TestObserverThatPanicsHoldsNothing(t *testing.T) {
	c := control(t, inbound.Config{Concurrency: inbound.Concurrency{Config: shed.Config{Limit: 1}}}, inbound.WithObserver(bad{}))
	func() {
		defer func() { recover() }()
		c.Admit(t.Context(), inbound.Request{})
	}()
	if n := c.Stats().Shed.InFlight; n != 0 {
		t.Errorf("%d in flight", n)
	}
}

// ending panics when work is over, and looks how many are in flight then.
type ending struct {
	c        *inbound.Controller
	inFlight int
}

func (e *ending) ObserveInbound(x inbound.Event) {
	if x.Step == inbound.Ended {
		e.inFlight = e.c.Stats().Shed.InFlight
		panic("bad")
	}
}

// The end is told while the place is still held: once the observer could hear of
// the next one first, and saw more in flight than the limit. The place is given back
// although the observer panics.
func TestEndIsToldBeforeThePlaceIsFree(t *testing.T) {
	e := &ending{}
	e.c = control(t, inbound.Config{Concurrency: inbound.Concurrency{Config: shed.Config{Limit: 1}}}, inbound.WithObserver(e))
	a, err := e.c.Admit(t.Context(), inbound.Request{})
	if err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() { recover() }()
		a.Done(outcome.Success)
	}()
	if n := e.c.Stats().Shed.InFlight; e.inFlight != 1 || n != 0 {
		t.Errorf("%d in flight when the end was told, %d after it", e.inFlight, n)
	}
}

// Behind a balancer all come from one address, and may be of one tenant. Who names
// no user is in or out by chance: once all were so together, and much of the
// capacity was not used.
func TestStrangersAreShedOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit, work, each, seconds = 8, 20 * time.Millisecond, time.Millisecond, 5
		c := control(t, inbound.Config{Concurrency: inbound.Concurrency{Config: shed.Config{Limit: limit}}}, inbound.WithSeed(1))
		var served atomic.Int64
		var all sync.WaitGroup
		for range int(seconds * time.Second / each) {
			time.Sleep(each)
			all.Go(func() {
				a, err := c.Admit(t.Context(), inbound.Request{Tenant: "acme", Address: "10.0.0.1"})
				if err != nil {
					return
				}
				time.Sleep(work)
				a.Done(outcome.Success)
				served.Add(1)
			})
		}
		all.Wait()
		if capacity := int64(seconds * time.Second / work * limit); served.Load() < capacity*9/10 {
			t.Errorf("served %d of %d that could be", served.Load(), capacity)
		}
	})
}

func TestRoutes(t *testing.T) {
	c := control(t, inbound.Config{Limits: []inbound.Limit{{Name: "x", Route: "GET /a", Rate: 1}}})
	for _, r := range []struct {
		method, path string
		asked        int
	}{{"GET", "/a", 1}, {"HEAD", "/a/b", 1}, {"POST", "/a", 0}, {"GET", "/ab", 0}, {"GET", "/", 0}} {
		a, _ := c.Admit(t.Context(), inbound.Request{Method: r.method, Path: r.path})
		if len(a.States()) != r.asked {
			t.Errorf("%s %s: asked %d limits, want %d", r.method, r.path, len(a.States()), r.asked)
		}
	}
	for _, route := range []string{"//a", "/a/../b", "/a/.", "/a;x", "/a%20b", "get /a", "a", "/a?b"} {
		if err := (inbound.Limit{Name: "x", Route: route, Rate: 1}).Validate(); err == nil {
			t.Errorf("%q is a route, and no request has it", route)
		}
	}
	for _, route := range []string{"/", "/a/", "POST /", "/.well-known/x", "/a..b"} {
		if err := (inbound.Limit{Name: "x", Route: route, Rate: 1}).Validate(); err != nil {
			t.Errorf("%q: %v", route, err)
		}
	}
}

type bad struct{}

func (bad) ObserveInbound(inbound.Event) { panic("bad") }

func TestFaults(t *testing.T) {
	_, err := inbound.New("shop", inbound.Config{
		Deadline:     -1,
		MinRemaining: 2,
		Limits: []inbound.Limit{
			{Name: "a b"},
			{Name: "x", Route: "search", By: "nobody", Rate: -1},
			{Name: "x", Algorithm: "leaky_shaper", Keys: 2},
			{Name: "k", By: inbound.Tenant, Algorithm: "sliding_log"},
		},
		Quotas:      []inbound.Quota{{Name: "q", Route: "GET", Config: quota.Config{Burst: -1}}},
		Priorities:  inbound.Priorities{Default: "high", Routes: []inbound.RoutePriority{{Route: "x", Priority: "low"}}},
		Concurrency: inbound.Concurrency{Config: shed.Config{Queue: 3}},
	})
	if err == nil {
		t.Fatal("no fault")
	}
	for _, want := range []string{
		"deadline: must not be negative", `limits["a b"]: a name has`, "limits.x.by: must be one of", "limits.x.route: must be a path", "limits.x.rate:",
		"limits.x: another limit", "limits.x.algorithm: a leaky_shaper", "limits.x.keys: has no effect", "limits.k.algorithm: is for",
		"quotas.q.route:", "quotas.q.burst:", "priorities.default: must be one of", `priorities.routes["x"]: must be one of`, `priorities.routes["x"]: must be a path`,
		"concurrency.limit: queue, target and interval have no effect",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no fault %q in\n%v", want, err)
		}
	}
}

// What is in force can be written down and read again: a bound that there is not
// has no queue either.
func TestEffectiveIsValid(t *testing.T) {
	for _, c := range []inbound.Config{
		{},
		{Limits: []inbound.Limit{{Name: "a", By: inbound.Tenant, Rate: 5}, {Name: "b", Rate: 1}, {Name: "off"}}, Quotas: []inbound.Quota{{Name: "c", Config: quota.Config{Rate: 9, Instances: 3, Mode: quota.ModeLeased}}}},
		{Concurrency: inbound.Concurrency{Config: shed.Config{Limit: 3}}},
		{Concurrency: inbound.Concurrency{Adaptive: &adaptive.Config{}}},
	} {
		e := c.Effective()
		if err := e.Validate(); err != nil || !reflect.DeepEqual(e, e.Effective()) {
			t.Errorf("%+v: %v", e, err)
		}
	}
}

// A quota without a rate is off whatever its mode, and needs no store.
func TestQuotaThatIsOff(t *testing.T) {
	c := control(t, inbound.Config{Quotas: []inbound.Quota{{Name: "q", Config: quota.Config{Mode: quota.ModeLeased}}}})
	a, err := c.Admit(t.Context(), inbound.Request{})
	if err != nil || len(a.States()) != 0 || len(c.Terms()) != 0 {
		t.Errorf("%v, %v", err, a.States())
	}
	a.Done(outcome.Success)
	c = control(t, inbound.Config{Quotas: []inbound.Quota{{Name: "q", Config: quota.Config{Rate: 1}}}}, inbound.WithBefore(c))
	if a, err := c.Admit(t.Context(), inbound.Request{}); err != nil || len(a.States()) != 1 {
		t.Errorf("on again: %v, %v", err, a.States())
	}
}
