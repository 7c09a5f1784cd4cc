package shed_test

import (
	"context"
	"fmt"
	"time"

	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/shed"
)

// serve gives its permit back in a defer, so that no place is lost when the
// work panics.
func serve(ctx context.Context, s *shed.Shedder, user string, work func()) (d shed.Decision) {
	permit, d := s.Wait(ctx, shed.Request{
		Priority: shed.PriorityOf(ctx),
		Level:    shed.LevelOf(user, time.Now()),
	})
	if !d.OK {
		return d
	}
	start, result := time.Now(), outcome.Failure
	defer func() { s.Done(permit, result, time.Since(start)) }()
	work()
	result = outcome.Success
	return d
}

func Example() {
	s, err := shed.New(shed.Config{Limit: 1}, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, _ := shed.ParsePriority("sheddable") // of the header shed.Header
	ctx := shed.WithPriority(context.Background(), p)
	d := serve(ctx, s, "alice", func() {
		inner := serve(ctx, s, "alice", func() {}) // there is one place
		fmt.Println("the second:", inner.Reason, inner.RetryAfter > 0)
	})
	fmt.Println("the first:", d.OK)
	fmt.Println("in flight:", s.Stats().InFlight)
	// Output:
	// the second: queue_delay true
	// the first: true
	// in flight: 0
}

// A request that cannot finish is refused on arrival.
func ExampleShedder_TryAcquireAt() {
	s, _ := shed.New(shed.Config{}, nil, nil)
	now := int64(time.Hour)
	p, _ := s.TryAcquireAt(now, shed.Request{})
	s.DoneAt(now, p, outcome.Success, 80*time.Millisecond)

	_, d := s.TryAcquireAt(now, shed.Request{Until: now + int64(100*time.Millisecond)})
	fmt.Println("100 ms left:", d.OK)
	_, d = s.TryAcquireAt(now, shed.Request{Until: now + int64(10*time.Millisecond)})
	fmt.Println("10 ms left:", d.OK, d.Reason)
	// Output:
	// 100 ms left: true
	// 10 ms left: false deadline
}
