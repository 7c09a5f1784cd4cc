package breaker

import (
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// trickle is the schedule of the single probes that are sent while open. They
// are spaced from when one is sent, not from its result, so that one that was
// sent just before the recovery and is lost for its whole timeout does not
// hold up the next.
type trickle struct {
	next   int64 // not before this instant
	gap    float64
	factor float64
	most   float64
}

func (t *trickle) start(at int64, cfg Trickle) {
	*t = trickle{next: clock.Never}
	if cfg.First > 0 {
		t.gap = float64(cfg.First)
		t.factor = cfg.Factor
		t.most = float64(cfg.Max)
		t.next = clock.Add(at, cfg.First)
	}
}

func (t *trickle) sent(now int64) {
	t.gap = min(t.gap*t.factor, t.most)
	t.next = clock.Add(now, time.Duration(saturate(t.gap)))
}
