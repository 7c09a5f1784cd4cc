package bench

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// Floor is what the parts cost of which everything else is made.
func BenchmarkFloor(b *testing.B) {
	ctx := caller(b)
	var n atomic.Int64
	began := time.Now()
	both(b, []contender{
		{"empty", func() bool { return true }},
		{"atomic-add", func() bool { return n.Add(1) > 0 }},
		{"time.Since", func() bool { return time.Since(began) >= 0 }},
		{"clock", func() bool { return clock.Real.Now() >= 0 }},
		{"context.WithTimeout", func() bool { v, _ := plainTimeout(ctx, one); return v == 1 }},
		{"context.WithTimeout/done", func() bool { v, _ := plainTimeout(ctx, asks); return v == 1 }},
		{"context.WithCancel", func() bool { ctx, cancel := context.WithCancel(ctx); defer cancel(); return ctx.Err() == nil }},
	})
}
