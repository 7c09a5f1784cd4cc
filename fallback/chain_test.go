package fallback

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var errDown = errors.New("down")

func fails(err error) Loader[string] {
	return func(context.Context) (string, error) { return "", err }
}

func TestTry(t *testing.T) {
	ended := func(end func(context.Context) (context.Context, context.CancelFunc)) context.Context {
		ctx, cancel := end(context.Background())
		t.Cleanup(cancel)
		return ctx
	}
	background := context.Background()
	late := ended(func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithDeadline(ctx, time.Unix(0, 0))
	})
	gone := ended(func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return ctx, cancel
	})
	errStale := errors.New("stale failed")

	for _, c := range []struct {
		name    string
		ctx     context.Context
		chain   []Alternative[string]
		source  string // "" means no answer
		skipped []Skip
	}{
		{"first answers", background,
			[]Alternative[string]{Or("stale", always("s")), Or("popular", always("p"))},
			"stale", nil},
		{"second answers", background,
			[]Alternative[string]{Or("stale", fails(errStale)), Or("popular", always("p"))},
			"popular", []Skip{{"stale", errStale}}},
		{"none answers", background,
			[]Alternative[string]{Or("stale", fails(errStale)), Or("popular", fails(errDown))},
			"", []Skip{{"stale", errStale}, {"popular", errDown}}},
		{"time is over, memory still answers", late,
			[]Alternative[string]{Or("stale", always("s"))},
			"stale", nil},
		{"the caller went away", gone,
			[]Alternative[string]{Or("stale", always("s")), Or("popular", always("p"))},
			"", []Skip{{"stale", context.Canceled}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := NewGate(Limits{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := Try(c.ctx, g, errDown, c.chain...)
			skipped := answer.Skipped
			if c.source == "" {
				none, ok := errors.AsType[*NoAnswer](err)
				if !ok || none.Cause != errDown || !errors.Is(err, errDown) {
					t.Fatalf("error = %#v, want a NoAnswer with the cause", err)
				}
				skipped = none.Skipped
			} else if err != nil || answer.Source != c.source || answer.Cause != errDown || !answer.Degraded() {
				t.Fatalf("answer = %+v, %v, want one from %q", answer, err, c.source)
			}
			if len(skipped) != len(c.skipped) {
				t.Fatalf("skipped = %v, want %v", skipped, c.skipped)
			}
			for i := range skipped {
				if skipped[i] != c.skipped[i] {
					t.Errorf("skipped[%d] = %v, want %v", i, skipped[i], c.skipped[i])
				}
			}
		})
	}
}

func TestNoAnswerTellsEverything(t *testing.T) {
	err := &NoAnswer{errDown, []Skip{{"stale", ErrNoSnapshot}, {"popular", ErrFull}}}
	want := "fallback: no answer: live: down; stale: fallback: no snapshot; popular: fallback: too many at once"
	if err.Error() != want {
		t.Errorf("Error() = %q, want %q", err.Error(), want)
	}
	for _, target := range []error{errDown, ErrNoSnapshot, ErrFull} {
		if !errors.Is(err, target) {
			t.Errorf("errors.Is(err, %v) = false", target)
		}
	}
	if first := err.Unwrap()[0]; first != errDown {
		t.Errorf("first error = %v, want the cause", first)
	}
	if got := (&NoAnswer{nil, []Skip{{"stale", errDown}}}).Unwrap(); len(got) != 1 {
		t.Errorf("without a cause Unwrap() = %v, want one error", got)
	}
}

func TestLiveIsNotDegraded(t *testing.T) {
	if (Answer[int]{Source: Live}).Degraded() {
		t.Error("a live answer is degraded")
	}
}

func TestTimeoutBoundsEachAlternative(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waits := func(ctx context.Context) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}
		c, err := NewChain(Limits{Timeout: 20 * time.Millisecond}, Or("a", waits), Or("b", waits), Or("c", always("c")))
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		answer, err := c.Answer(t.Context(), errDown)
		if err != nil || answer.Source != "c" {
			t.Fatalf("answer = %+v, %v", answer, err)
		}
		if took := time.Since(start); took != 40*time.Millisecond {
			t.Errorf("took %v, want twice the timeout", took)
		}
		for _, s := range answer.Skipped {
			if !errors.Is(s.Err, context.DeadlineExceeded) {
				t.Errorf("%s: %v, want a deadline exceeded", s.Name, s.Err)
			}
		}
	})
}

func TestConcurrentBoundsEachName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := NewChain(Limits{Concurrent: 2, Timeout: time.Hour},
			Or("hangs", func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }),
			Static("static", "v"))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			go c.Answer(t.Context(), errDown)
		}
		synctest.Wait()
		answer, err := c.Answer(t.Context(), errDown)
		if err != nil || answer.Source != "static" {
			t.Fatalf("with the first alternative full: %+v, %v", answer, err)
		}
		if len(answer.Skipped) != 1 || answer.Skipped[0] != (Skip{"hangs", ErrFull}) {
			t.Errorf("skipped = %v, want the full one", answer.Skipped)
		}
	})
}

type source struct{ guard string }

func (source) Load(context.Context) (string, error) { return "v", nil }
func (s source) GuardedBy() string                  { return s.guard }

func TestCheckNamesEveryFault(t *testing.T) {
	limits := Limits{Timeout: -1, Concurrent: -1}
	_, err := NewChain(limits,
		Or("", always("v")),
		Or("live", always("v")),
		Or("a", always("v")),
		Or("a", always("v")),
		Or[string]("b", nil),
		From[string]("c", nil),
		From[string]("d", source{"payment"}),
		Alternative[string]{},
	)
	if err == nil {
		t.Fatal("no error")
	}
	want := []string{
		"timeout: must not be negative, is -1ns",
		"concurrent: must not be negative, is -1",
		"alternatives[0]: name must not be empty",
		`alternatives[1]: name must not be "live", which is not an alternative`,
		`alternatives[3]: name "a" is used twice`,
		`alternatives[4]: "b" has nothing to load its value with`,
		`alternatives[5]: "c" has nothing to load its value with`,
		`alternatives[6]: "d" is guarded by dependency "payment": an alternative must not call a dependency`,
		"alternatives[7]: name must not be empty",
	}
	if got := strings.Split(err.Error(), "\n"); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("faults:\n%s\nwant:\n%s", err, strings.Join(want, "\n"))
	}
	if _, err := NewChain[string](Limits{}); err == nil {
		t.Error("an empty chain was accepted")
	}
	if err := Check(Or("a", always(1)), Or("b", always(2))); err != nil {
		t.Error(err)
	}
}

func TestTryNeverRunsAFaultyAlternative(t *testing.T) {
	g, err := NewGate(Limits{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Try(t.Context(), g, errDown, From[string]("d", source{"payment"}), Or[string]("n", nil))
	if err == nil || !strings.Contains(err.Error(), `guarded by dependency "payment"`) {
		t.Errorf("error = %v, want the guarded source refused", err)
	}
}

func TestMark(t *testing.T) {
	if name, ok := Inside(t.Context()); ok {
		t.Errorf("inside %q before any alternative", name)
	}
	ReportAge(t.Context(), time.Second) // does nothing, and no harm
	c, err := NewChain(Limits{}, Or("stale", func(ctx context.Context) (string, error) {
		child, cancel := context.WithCancel(ctx)
		defer cancel()
		name, ok := Inside(child)
		if !ok {
			t.Error("not inside while the alternative runs")
		}
		ReportAge(child, time.Minute)
		return name, nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := c.Answer(t.Context(), errDown)
	if err != nil || answer.Value != "stale" || answer.Age != time.Minute {
		t.Errorf("answer = %+v, %v, want the name and an age of a minute", answer, err)
	}
	if name, ok := Inside(Enter(Enter(t.Context(), "outer"), "inner")); !ok || name != "inner" {
		t.Errorf("Inside = %q, %v, want the innermost", name, ok)
	}
}

func TestNegativeAgeIsNone(t *testing.T) {
	m := Enter(t.Context(), "a").(*mark)
	ReportAge(m, time.Minute)
	ReportAge(m, -time.Second)
	if age := m.age.Load(); age != 0 {
		t.Errorf("age = %d, want that of the last report, at least 0", age)
	}
}

// What an alternative left behind ends with it.
func TestContextEndsWithTheAlternative(t *testing.T) {
	var kept context.Context
	c, err := NewChain(Limits{Timeout: time.Hour}, Or("a", func(ctx context.Context) (int, error) {
		kept = ctx
		return 1, ctx.Err()
	}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Answer(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if kept.Err() == nil {
		t.Error("the context goes on")
	}
}

// A failed alternative must not lend its age to the next.
func TestAgeBelongsToOneAlternative(t *testing.T) {
	c, err := NewChain(Limits{},
		Or("a", func(ctx context.Context) (string, error) { ReportAge(ctx, time.Hour); return "", errDown }),
		Or("b", always("v")))
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := c.Answer(t.Context(), nil); err != nil || answer.Age != 0 {
		t.Errorf("age = %v, %v, want none", answer.Age, err)
	}
}

func TestMarkKeepsTheContextsContract(t *testing.T) {
	type key struct{}
	parent, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "v"))
	m := Enter(parent, "a")
	if m.Value(key{}) != "v" {
		t.Error("a value of the parent is lost")
	}
	ran := make(chan struct{})
	context.AfterFunc(m, func() { close(ran) })
	child, stop := context.WithCancel(m)
	defer stop()
	cancel()
	<-ran
	<-child.Done()
	if m.Err() != context.Canceled {
		t.Errorf("Err() = %v", m.Err())
	}
}

func TestTryAllocatesLittle(t *testing.T) {
	g, err := NewGate(Limits{}, func(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
		return ctx, func() {}
	})
	if err != nil {
		t.Fatal(err)
	}
	load := always(1)
	ctx := context.Background()
	allocs := testing.AllocsPerRun(100, func() {
		if err := Check(Or("a", load), Or("b", load)); err != nil {
			t.Fatal(err)
		}
		if _, err := Try(ctx, g, errDown, Or("a", load), Or("b", load)); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 1 {
		t.Errorf("%v allocations, want only the mark", allocs)
	}
}

// always is the loader of a value that is there.
func always[T any](v T) Loader[T] {
	return func(context.Context) (T, error) { return v, nil }
}

// A static answer takes nothing: no place, no time, no memory.
func TestStatic(t *testing.T) {
	g, err := NewGate(Limits{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	last := Static("last", "v")
	if n := testing.AllocsPerRun(100, func() {
		if a, err := Try(t.Context(), g, errDown, last); err != nil || a.Value != "v" || a.Source != "last" || a.Cause != errDown {
			t.Errorf("%+v, %v", a, err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if err := Check(Static("", 1)); err == nil {
		t.Error("a static answer without a name")
	}
	if err := Check(Static(Live, 1), Static("a", 1), Static("a", 2)); err == nil || strings.Count(err.Error(), "alternatives[") != 2 {
		t.Errorf("%v, want two faults", err)
	}
}
