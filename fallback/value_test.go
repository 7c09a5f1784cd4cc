package fallback

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// steady is randomness at its low end: the longest waits.
func steady() float64 { return 0 }

func TestValue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var down atomic.Bool
		var calls atomic.Int64
		v, err := NewValue(ValueConfig{Every: 10 * time.Second, MaxAge: 25 * time.Second, Retry: 4 * time.Second, Rand: steady},
			func(context.Context) (int, error) {
				n := int(calls.Add(1))
				if down.Load() {
					return n, errDown
				}
				return n, nil
			})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.Load(t.Context()); err != ErrNoSnapshot {
			t.Errorf("before the first load: %v", err)
		}
		stop := v.Start(t.Context())
		defer stop()
		start := time.Now()
		step := func(at time.Duration, loads int64, value int, age time.Duration, loadErr, lastErr error) {
			t.Helper()
			time.Sleep(at - time.Since(start))
			synctest.Wait()
			m := Enter(t.Context(), "v").(*mark)
			got, err := v.Load(m)
			if got != value || time.Duration(m.age.Load()) != age || err != loadErr || v.LastError() != lastErr {
				t.Errorf("at %v: %d aged %v, %v, last error %v; want %d aged %v, %v, %v",
					at, got, time.Duration(m.age.Load()), err, v.LastError(), value, age, loadErr, lastErr)
			}
			if got := calls.Load(); got != loads {
				t.Errorf("at %v: %d loads, want %d", at, got, loads)
			}
		}
		const s = time.Second
		step(0*s, 1, 1, 0, nil, nil)
		step(9*s, 1, 1, 9*s, nil, nil)
		step(10*s, 2, 2, 0, nil, nil)
		down.Store(true)
		step(20*s, 3, 2, 10*s, nil, errDown) // the old value stays
		step(24*s, 4, 2, 14*s, nil, errDown) // after 4s,
		step(32*s, 5, 2, 22*s, nil, errDown) // 8s,
		step(35*s, 5, 2, 25*s, nil, errDown)
		step(36*s, 5, 0, 0, ErrTooOld, errDown)
		down.Store(false)
		step(42*s, 6, 6, 0, nil, nil) // and 10s, as it grows to Every and no further
		step(52*s, 7, 7, 0, nil, nil)
		down.Store(true)
		step(62*s, 8, 7, 10*s, nil, errDown)
		step(66*s, 9, 7, 14*s, nil, errDown) // after 4s again
		stop()
		stop()
		time.Sleep(time.Minute)
		if n := calls.Load(); n != 9 {
			t.Errorf("%d loads after the stop", n)
		}
	})
}

func TestValueBoundsEachLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, err := NewValue(ValueConfig{Timeout: time.Second}, func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		stop := v.Start(ctx)
		time.Sleep(time.Second)
		synctest.Wait()
		if err := v.LastError(); err != context.DeadlineExceeded {
			t.Errorf("last error %v", err)
		}
		cancel()
		stop()
	})
}

// The end of the owner says nothing about the load that it interrupts.
func TestValueStopIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, err := NewValue(ValueConfig{}, func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		})
		if err != nil {
			t.Fatal(err)
		}
		stop := v.Start(t.Context())
		synctest.Wait()
		stop()
		if err := v.LastError(); err != nil {
			t.Errorf("last error %v", err)
		}
	})
}

func TestValueStopWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, err := NewValue(ValueConfig{}, func(context.Context) (int, error) {
			time.Sleep(5 * time.Second) // whatever its context says
			return 1, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		stop := v.Start(t.Context())
		synctest.Wait()
		start := time.Now()
		stop()
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("stop took %v, want until the end of the load", took)
		}
	})
}

func TestValueConfigFaults(t *testing.T) {
	_, err := NewValue[int](ValueConfig{Every: -1, MaxAge: -2, Timeout: -3, Retry: -4}, nil)
	want := strings.Join([]string{
		"every: must not be negative, is -1ns",
		"max_age: must not be negative, is -2ns",
		"timeout: must not be negative, is -3ns",
		"retry: must not be negative, is -4ns",
		"load: must not be nil",
	}, "\n")
	if err == nil || err.Error() != want {
		t.Errorf("faults:\n%v\nwant:\n%s", err, want)
	}
	err = ValueConfig{MaxAge: time.Second}.Validate()
	if err == nil || !strings.HasPrefix(err.Error(), "max_age: must not be less than every (30s), is 1s") {
		t.Errorf("a value that dies between refreshes: %v", err)
	}
	for _, c := range []ValueConfig{{}, {Every: math.MaxInt64}, {Every: time.Millisecond}} {
		if err := c.Validate(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestValueLoadAllocatesNothing(t *testing.T) {
	v, err := NewValue(ValueConfig{}, always(1))
	if err != nil {
		t.Fatal(err)
	}
	v.Refresh(t.Context())
	ctx := context.Background()
	if allocs := testing.AllocsPerRun(100, func() {
		if _, err := v.Load(ctx); err != nil {
			t.Fatal(err)
		}
	}); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// A panic in the goroutine of hystrix-go's command killed the process. What
// backs a fallback must not: the panic is a failed load.
func TestRegressionPanicOfALoadIsContained(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		v, err := NewValue(ValueConfig{Rand: steady}, func(context.Context) (int, error) {
			if calls++; calls == 1 {
				panic("boom")
			}
			return calls, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		defer v.Start(t.Context())()
		synctest.Wait()
		if err := v.LastError(); err == nil || !strings.Contains(err.Error(), "boom") {
			t.Errorf("last error %v, want the panic", err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if got, err := v.Load(t.Context()); got != 2 || err != nil {
			t.Errorf("Load = %d, %v after the next load", got, err)
		}
	})
}

// heimdall#145: a caller that cancelled during a backoff slept all of it, and
// hystrix-go left a goroutine behind for each circuit. The bubble fails when
// the goroutine outlives the test.
func TestRegressionStopCutsTheWaitShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, err := NewValue(ValueConfig{Every: time.Hour}, always(1))
		if err != nil {
			t.Fatal(err)
		}
		stop := v.Start(t.Context())
		synctest.Wait()
		start := time.Now()
		stop()
		if took := time.Since(start); took != 0 {
			t.Errorf("stop took %v", took)
		}
	})
}

// avast/retry-go and heimdall retried without a delay once their backoff did
// not grow or overflowed.
func TestRegressionBackoffNeverSpins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		v, err := NewValue(ValueConfig{Every: time.Minute, Rand: func() float64 { return math.Nextafter(1, 0) }},
			func(context.Context) (int, error) {
				calls++
				return 0, errors.New("down")
			})
		if err != nil {
			t.Fatal(err)
		}
		stop := v.Start(t.Context())
		time.Sleep(24 * time.Hour)
		stop()
		// The shortest wait is half of Every: at most two loads a minute.
		if most := 2*24*60 + 10; calls > most || calls < 1000 {
			t.Errorf("%d loads in a day, want at most %d", calls, most)
		}
	})
}
