package inbound_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/shed"
)

func TestTally(t *testing.T) {
	var tally inbound.Tally
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			tally.ObserveInbound(inbound.Event{Step: inbound.Admitted, Priority: shed.CriticalPlus, Wait: 2 * time.Millisecond})
			tally.ObserveInbound(inbound.Event{Step: inbound.Refused, Priority: shed.Sheddable, Reason: stanch.ErrShed})
			tally.ObserveInbound(inbound.Event{Step: inbound.Refused, Reason: stanch.ErrRateLimited, By: "tenant"})
			tally.ObserveInbound(inbound.Event{Step: inbound.Left})
			tally.ObserveInbound(inbound.Event{Step: inbound.Ended, Took: time.Minute, Outcome: outcome.Failure})
		})
	}
	all.Wait()
	c := tally.Counts()
	for _, want := range []inbound.Count{
		{Step: inbound.Admitted, Priority: shed.CriticalPlus, Requests: 10},
		{Step: inbound.Admitted, Priority: shed.Sheddable},
		{Step: inbound.Refused, Priority: shed.Sheddable, Reason: stanch.ErrShed, Requests: 10},
		{Step: inbound.Refused, Reason: stanch.ErrRateLimited, By: "tenant", Requests: 10},
		{Step: inbound.Left, Requests: 10},
	} {
		if !slices.Contains(c.Requests, want) {
			t.Errorf("no %+v in %+v", want, c.Requests)
		}
	}
	if c.Ended["failure"] != 10 || c.Wait.Buckets[1] != 10 || c.Wait.Sum != 20*time.Millisecond || c.Work.Buckets[len(inbound.Bounds)] != 10 || c.Work.Count() != 10 {
		t.Errorf("%+v", c)
	}
}

// Names come from configurations, of which there may be many in the life of a
// process: labels of metrics must not grow with them.
func TestTallyIsBounded(t *testing.T) {
	var tally inbound.Tally
	for i := range 1000 {
		tally.ObserveInbound(inbound.Event{Step: inbound.Refused, Reason: stanch.ErrQuota, By: fmt.Sprint("q", i)})
	}
	names, sum := map[string]bool{}, uint64(0)
	for _, c := range tally.Counts().Requests {
		if c.Step == inbound.Refused {
			names[c.By] = true
			sum += c.Requests
		}
	}
	if len(names) > inbound.MaxNames+1 || sum != 1000 {
		t.Errorf("%d names, %d requests", len(names), sum)
	}
}

func TestTallyAllocatesNothing(t *testing.T) {
	var tally inbound.Tally
	e := inbound.Event{Step: inbound.Refused, Reason: stanch.ErrQuota, By: "all"}
	tally.ObserveInbound(e)
	if n := testing.AllocsPerRun(100, func() { tally.ObserveInbound(e) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
