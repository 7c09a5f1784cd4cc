package fallback

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// failsafe-go's bulkhead lost the permit of a function that panicked, and other
// kits that of one that called runtime.Goexit, until nothing was admitted.
func TestRegressionPanicReleasesThePlace(t *testing.T) {
	for name, end := range map[string]func(){
		"panic":  func() { panic("boom") },
		"goexit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			ends := true
			c, err := NewChain(Limits{Concurrent: 1}, Or("a", func(context.Context) (string, error) {
				if ends {
					end()
				}
				return "v", nil
			}))
			if err != nil {
				t.Fatal(err)
			}
			var caught any
			var wg sync.WaitGroup
			wg.Go(func() {
				defer func() { caught = recover() }()
				c.Answer(t.Context(), errDown)
			})
			wg.Wait()
			if name == "panic" && caught != "boom" {
				t.Errorf("recovered %v, want the panic of the loader", caught)
			}
			ends = false
			if _, err := c.Answer(t.Context(), errDown); err != nil {
				t.Errorf("the place was lost: %v", err)
			}
		})
	}
}

// sentinel-golang's isolation checked the count and added to it in two steps,
// so concurrent entries passed the threshold.
func TestRegressionPlacesAreExact(t *testing.T) {
	const most, callers = 1, 4
	p := &place{}
	var inside atomic.Int64
	var wg sync.WaitGroup
	start := make(chan struct{})
	for range callers {
		wg.Go(func() {
			<-start
			for range 400_000 {
				if !p.enter(most) {
					continue
				}
				if n := inside.Add(1); n > most {
					t.Errorf("%d inside, want at most %d", n, most)
				}
				inside.Add(-1)
				p.leave()
			}
		})
	}
	close(start)
	wg.Wait()
	for i := range most {
		if !p.enter(most) {
			t.Fatalf("place %d of %d was lost", i+1, most)
		}
	}
}

// go-zero keeps a breaker for every name it ever saw; names made of request
// data fill the memory.
func TestRegressionNamesDoNotPileUp(t *testing.T) {
	g, err := NewGate(Limits{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 * maxNames {
		if _, err := Try(t.Context(), g, nil, Or(fmt.Sprint("user-", i), always(i))); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(*g.places.Load()); n > maxNames+1 {
		t.Errorf("%d names kept, want at most %d", n, maxNames+1)
	}
}

// cenkalti/backoff#184: the error that carries the wait drops the reason why.
// The reason why there is no live answer must survive every failed alternative.
func TestRegressionCauseSurvives(t *testing.T) {
	c, err := NewChain(Limits{}, Or("a", fails(context.DeadlineExceeded)), Or("b", fails(ErrTooOld)))
	if err != nil {
		t.Fatal(err)
	}
	cause := fmt.Errorf("recommend: %w", errDown)
	_, err = c.Answer(t.Context(), cause)
	if !errors.Is(err, errDown) {
		t.Errorf("error = %v, want it to keep %v", err, cause)
	}
}

// The usual fallback takes the caller's cancellation for one more error and
// does its work for somebody who is gone.
func TestRegressionNothingRunsForACallerThatLeft(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var ran []string
	c, err := NewChain(Limits{},
		Or("a", func(ctx context.Context) (int, error) {
			ran = append(ran, "a")
			cancel()
			return 0, ctx.Err()
		}),
		Or("b", func(context.Context) (int, error) {
			ran = append(ran, "b")
			return 1, nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Answer(ctx, errDown); !errors.Is(err, context.Canceled) || !errors.Is(err, errDown) {
		t.Errorf("error = %v, want the cause and the cancellation", err)
	}
	if len(ran) != 1 {
		t.Errorf("ran %v, want only the first", ran)
	}
}
