package deadline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

var errAttempt = errors.New("attempt timed out")

// manual is virtual time: it moves when told to, and nothing can wait in it.
type manual struct {
	clock.Clock
	now atomic.Int64
}

var epoch = time.Unix(1000, 0)

func (m *manual) Now() int64              { return m.now.Load() }
func (m *manual) Wall(at int64) time.Time { return epoch.Add(time.Duration(at)) }

func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

func TestContextSeesItsDeadlineWithoutATimer(t *testing.T) {
	clk := new(manual)
	ctx := New(t.Context(), clk, 100, errAttempt)
	defer ctx.Cancel()
	if d, ok := ctx.Deadline(); !ok || !d.Equal(epoch.Add(100)) {
		t.Errorf("deadline: got %v, %v", d, ok)
	}
	clk.now.Store(99)
	if err := ctx.Err(); err != nil || context.Cause(ctx) != nil {
		t.Errorf("just before: got %v", err)
	}
	clk.now.Store(100)
	if err := ctx.Err(); err != context.DeadlineExceeded {
		t.Errorf("at the end: got %v", err)
	}
	if cause := context.Cause(ctx); cause != errAttempt {
		t.Errorf("cause: got %v", cause)
	}
	if !isClosed(ctx.Done()) {
		t.Error("ended, but Done is open")
	}
	clk.now.Store(50)
	ctx.Cancel()
	if err := ctx.Err(); err != context.DeadlineExceeded {
		t.Errorf("time ran backwards and revived it, or Cancel changed it: got %v", err)
	}
}

// On virtual time an armed Done ends when Err notices, without a real timer.
func TestContextOnAVirtualClock(t *testing.T) {
	clk := new(manual)
	ctx := New(t.Context(), clk, 100, errAttempt)
	defer ctx.Cancel()
	done := ctx.Done()
	child, cancel := context.WithCancel(ctx)
	defer cancel()
	if isClosed(done) || ctx.Err() != nil {
		t.Fatal("ended before its time")
	}
	clk.now.Store(100)
	if isClosed(done) {
		t.Fatal("something watched the clock")
	}
	for range 2 {
		if err := ctx.Err(); err != context.DeadlineExceeded {
			t.Fatalf("got %v", err)
		}
	}
	if !isClosed(done) || child.Err() == nil {
		t.Error("noticed, but Done or the child is open")
	}
	for _, c := range []context.Context{ctx, child} {
		if cause := context.Cause(c); !errors.Is(cause, errAttempt) || cause.Error() != errAttempt.Error() {
			t.Errorf("cause: got %v", cause)
		}
	}

	canceled := New(t.Context(), clk, 200, errAttempt)
	canceled.Done()
	canceled.Cancel()
	clk.now.Store(300)
	if err := canceled.Err(); err != context.Canceled || context.Cause(canceled) != context.Canceled {
		t.Errorf("cancelled before its end: got %v", err)
	}
}

func TestContextDoneFires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx := WithTimeout(t.Context(), time.Second, errAttempt)
		defer ctx.Cancel()
		<-ctx.Done()
		if took := time.Since(start); took != time.Second || ctx.Err() != context.DeadlineExceeded || context.Cause(ctx) != errAttempt {
			t.Errorf("after %v: %v, %v", took, ctx.Err(), context.Cause(ctx))
		}
	})
}

func TestContextUnderAnEarlierParent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		errParent := errors.New("parent's")
		parent := WithTimeout(t.Context(), time.Second, errParent)
		defer parent.Cancel()
		child := WithTimeout(parent, time.Hour, errAttempt)
		defer child.Cancel()
		pd, _ := parent.Deadline()
		if d, ok := child.Deadline(); !ok || !d.Equal(pd) {
			t.Errorf("deadline: got %v, want %v", d, pd)
		}
		time.Sleep(time.Second)
		if child.Err() != context.DeadlineExceeded || context.Cause(child) != errParent {
			t.Errorf("got %v, %v", child.Err(), context.Cause(child))
		}
	})
}

// The one difference from the standard library, and it is documented.
func TestCancelOvertakesAnUnseenEnd(t *testing.T) {
	clk := new(manual)
	errParent := errors.New("parent's")
	parent, cancel := context.WithCancelCause(t.Context())
	ctx := New(parent, clk, 100, errAttempt)
	clk.now.Store(200)
	ctx.Cancel()
	cancel(errParent)
	if ctx.Err() != context.Canceled || context.Cause(ctx) != context.Canceled || !isClosed(ctx.Done()) {
		t.Errorf("got %v, %v", ctx.Err(), context.Cause(ctx))
	}
}

func TestContextWithoutDeadline(t *testing.T) {
	ctx := New(context.Background(), clock.Real, clock.Never, nil)
	if _, ok := ctx.Deadline(); ok || ctx.Err() != nil || isClosed(ctx.Done()) {
		t.Error("has a deadline or has ended")
	}
	ctx.Cancel()
	if ctx.Err() != context.Canceled || !isClosed(ctx.Done()) {
		t.Errorf("got %v", ctx.Err())
	}
}

func TestContextWithoutCause(t *testing.T) {
	ctx := New(t.Context(), new(manual), 0, nil)
	defer ctx.Cancel()
	if cause := context.Cause(ctx); cause != context.DeadlineExceeded {
		t.Errorf("got %v", cause)
	}
}

func TestContextString(t *testing.T) {
	ctx := New(context.Background(), new(manual), 5, nil)
	if got, want := fmt.Sprint(ctx), "deadline.Context("+epoch.Add(5).String()+")"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	child, cancel := context.WithCancel(New(context.Background(), new(manual), clock.Never, nil))
	defer cancel()
	if got := fmt.Sprint(child); !strings.HasPrefix(got, "deadline.Context(no deadline)") {
		t.Errorf("got %q", got)
	}
}

type key int

// All methods at once, while it ends in each of its ways. Run under -race.
func TestContextConcurrently(t *testing.T) {
	for _, virtual := range []bool{false, true} {
		for i := range 300 {
			var clk clock.Clock = clock.Real
			m := new(manual)
			if virtual {
				clk = m
			}
			parent, end := context.WithCancelCause(context.WithValue(context.Background(), key(1), 2))
			ctx := New(parent, clk, clock.Add(clk.Now(), 50*time.Microsecond), errAttempt)
			var wg sync.WaitGroup
			for range 2 {
				wg.Go(func() {
					var first error
					for range 20 {
						err := ctx.Err()
						if err != nil && !isClosed(ctx.Done()) {
							t.Error("Err without Done")
						}
						if first != nil && err != first {
							t.Errorf("Err was %v, is %v", first, err)
						}
						first = err
					}
				})
			}
			wg.Go(func() {
				if done := ctx.Done(); done != ctx.Done() {
					t.Error("two Done channels")
				}
			})
			wg.Go(func() {
				child, cancel := context.WithCancel(ctx)
				defer cancel()
				if i%3 > 0 { // somebody ends it
					<-child.Done()
				}
			})
			wg.Go(func() {
				if cause := context.Cause(ctx); ctx.Value(key(1)) != 2 || cause != nil && ctx.Err() == nil {
					t.Errorf("cause %v", cause)
				}
				_ = ctx.String()
			})
			wg.Go(func() {
				m.now.Store(int64(time.Millisecond))
				if i%3 == 1 {
					end(errAttempt)
				}
			})
			wg.Go(func() {
				if i%3 == 2 {
					ctx.Cancel()
				}
			})
			wg.Wait()
			ctx.Cancel()
			if ctx.Err() == nil || !isClosed(ctx.Done()) {
				t.Fatal("cancelled, but not ended")
			}
			end(nil)
		}
	}
}

// withNumber is how other types carry a Context within themselves.
type withNumber struct {
	Context
	number int
}

func (w *withNumber) Value(k any) any {
	if k == key(7) {
		return w.number
	}
	return w.Context.Value(k)
}

func TestEmbeddedContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := &withNumber{number: 3}
		ctx.Init(t.Context(), &Kind{clock.Real, errAttempt}, clock.Add(clock.Real.Now(), time.Second))
		defer ctx.Cancel()
		child, cancel := context.WithCancel(ctx)
		defer cancel()
		<-child.Done()
		if child.Err() != context.DeadlineExceeded || context.Cause(child) != errAttempt || child.Value(key(7)) != 3 {
			t.Errorf("got %v, %v, %v", child.Err(), context.Cause(child), child.Value(key(7)))
		}
	})
}

// End and EndedAt say what Deadline and Err do, without a look at the clock.
func TestEndOfAContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := clock.Real.Now()
		ms := int64(time.Millisecond)
		outer, leave := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer leave()
		for name, tt := range map[string]struct {
			parent context.Context
			end    int64
			want   int64
		}{
			"its own":      {outer, now + 20*ms, now + 20*ms},
			"the parent's": {outer, clock.Never, now + 50*ms},
			"none":         {t.Context(), clock.Never, clock.Never},
		} {
			for _, armed := range []bool{false, true} {
				c := New(tt.parent, clock.Real, tt.end, nil)
				if armed {
					c.Done()
				}
				if c.End() != tt.want || c.EndedAt(now) || c.EndedAt(now+20*ms) != (tt.want == now+20*ms && !armed) {
					t.Errorf("%s, armed %v: ends after %v", name, armed, time.Duration(c.End()-now))
				}
				if c.Cancel(); !c.EndedAt(now) {
					t.Errorf("%s, armed %v: not ended after Cancel", name, armed)
				}
			}
		}
		c := New(outer, clock.Real, clock.Never, nil)
		if leave(); !c.EndedAt(now) {
			t.Error("not ended with its parent")
		}
	})
}
