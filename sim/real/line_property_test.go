package real

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"
)

// TestLine compares with a plain list: who is in, who waits, in which order.
func TestLine(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.IntRange(0, 3).Draw(rt, "limit")
		places := rapid.IntRange(-1, 3).Draw(rt, "places")
		steps := rapid.SliceOfN(rapid.Bool(), 1, 30).Draw(rt, "enter")
		synctest.Test(t, func(*testing.T) {
			var queued int
			l := line{queued: func(n int) { queued = n }}
			var mu sync.Mutex // in the end many come out at once
			var in, waiting, wantIn, wantWaiting []int
			done := make(chan struct{})
			for i, enter := range steps {
				switch {
				case enter:
					switch {
					case limit == 0 || len(wantIn) < limit:
						wantIn = append(wantIn, i)
					case places < 0 || len(wantWaiting) < places:
						wantWaiting = append(wantWaiting, i)
					}
					waiting = append(waiting, i)
					go func() {
						ok := l.enter(limit, places, done)
						mu.Lock()
						defer mu.Unlock()
						waiting = slices.DeleteFunc(waiting, func(w int) bool { return w == i })
						if ok {
							in = append(in, i)
						}
					}()
				case len(wantIn) > 0:
					wantIn, in = wantIn[1:], in[1:]
					if len(wantWaiting) > 0 {
						wantIn, wantWaiting = append(wantIn, wantWaiting[0]), wantWaiting[1:]
					}
					l.leave(limit)
				}
				synctest.Wait()
				if !slices.Equal(in, wantIn) || !slices.Equal(waiting, wantWaiting) || queued != len(wantWaiting) {
					rt.Fatalf("step %d: in %v, want %v; waiting %v (told %d), want %v", i, in, wantIn, waiting, queued, wantWaiting)
				}
			}
			close(done)
			synctest.Wait()
			if !slices.Equal(in, wantIn) || len(waiting) > 0 {
				rt.Fatalf("at the end: in %v, want %v; still waiting %v", in, wantIn, waiting)
			}
		})
	})
}

// A limit that grows lets in as many as now fit.
func TestLineGrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l line
		in := make(chan int, 5)
		for i := range 5 {
			go func() {
				if l.enter(1, -1, nil) {
					in <- i
				}
			}()
			synctest.Wait()
		}
		l.leave(3)
		synctest.Wait()
		if len(in) != 4 { // the first, and three after it
			t.Errorf("%d were let in, want 4", len(in))
		}
		l.leave(0)
		synctest.Wait()
		if len(in) != 5 {
			t.Errorf("%d were let in, want all 5", len(in))
		}
	})
}
