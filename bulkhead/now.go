package bulkhead

import (
	"context"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// TryAcquire is TryAcquireAt now.
func (b *Bulkhead) TryAcquire() bool { return b.TryAcquireAt(clock.Real.Now()) }

// Wait is Acquire from now, for as long as ctx and MaxWait allow.
func (b *Bulkhead) Wait(ctx context.Context) (waited time.Duration, err error) {
	return b.Acquire(ctx, clock.Real, clock.Real.Now(), clock.Never)
}

// Release is ReleaseAt now.
func (b *Bulkhead) Release() { b.ReleaseAt(clock.Real.Now()) }

// Stats is StatsAt now.
func (b *Bulkhead) Stats() Stats { return b.StatsAt(clock.Real.Now()) }
