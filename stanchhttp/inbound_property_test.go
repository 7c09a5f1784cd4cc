package stanchhttp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/shed"
	"github.com/stanch-go/stanch/stanchhttp"
)

// However handlers end and clients leave: each request is counted once, no place
// is lost, and no more are worked on than there are places.
func TestInboundProperties(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.IntRange(1, 4).Draw(rt, "limit")
		requests := rapid.SliceOfN(rapid.IntRange(0, 1000), 1, 40).Draw(rt, "requests")
		synctest.Test(t, func(t *testing.T) {
			var tally inbound.Tally
			control := controller(t, inbound.Config{
				Deadline:    50 * time.Millisecond,
				Limits:      []inbound.Limit{{Name: "all", Rate: 500}},
				Concurrency: inbound.Concurrency{Config: shed.Config{Limit: limit}},
			}, inbound.WithObserver(&tally))
			var mu sync.Mutex
			inside, most := 0, 0
			h := stanchhttp.Inbound(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				inside++
				most = max(most, inside)
				mu.Unlock()
				defer func() { mu.Lock(); inside--; mu.Unlock() }()
				n := r.Context().Value(kind{}).(int)
				select {
				case <-time.After(time.Duration(n%37) * time.Millisecond):
				case <-r.Context().Done():
				}
				switch n % 4 {
				case 0:
					panic(http.ErrAbortHandler)
				case 1:
					w.WriteHeader(500 + n%4)
				}
			}), control, stanchhttp.InboundOptions{})
			var all sync.WaitGroup
			for i, n := range requests {
				all.Go(func() {
					defer func() { recover() }()
					time.Sleep(time.Duration(i%7) * time.Millisecond)
					ctx, cancel := context.WithCancel(context.WithValue(t.Context(), kind{}, n))
					defer cancel()
					if n%5 == 0 {
						time.AfterFunc(time.Duration(n%11)*time.Millisecond, cancel)
					}
					h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/", nil))
				})
			}
			all.Wait()
			c := tally.Counts()
			var asked, admitted, ended uint64
			for _, x := range c.Requests {
				asked += x.Requests
				if x.Step == inbound.Admitted {
					admitted += x.Requests
				}
			}
			for _, n := range c.Ended {
				ended += n
			}
			if now := control.Stats().Shed; now.InFlight != 0 || now.Waiting != 0 || most > limit || admitted != ended || asked != uint64(len(requests)) {
				t.Errorf("of %d requests %d are counted, %d admitted, %d ended; at most %d of %d at once; %+v", len(requests), asked, admitted, ended, most, limit, now)
			}
		})
	})
}

type kind struct{}
