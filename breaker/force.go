package breaker

// ForceOpenAt refuses every call from now on, probes too, until AutoAt or
// ForceClosedAt. In dark mode it reports so and refuses nothing.
func (b *Breaker) ForceOpenAt(now int64) { b.force(now, ForcedOpen) }

// ForceClosedAt admits every call from now on, until AutoAt or ForceOpenAt.
// Results are counted, but do not open the breaker.
func (b *Breaker) ForceClosedAt(now int64) { b.force(now, ForcedClosed) }

func (b *Breaker) force(now int64, s State) {
	now = b.lock(now)
	defer b.unlock()
	if b.state != s {
		b.begin(now, s, ReasonForced)
	}
}

// AutoAt ends a forced state: the breaker is closed and decides for itself
// again. It ramps up if it was forced open, when nothing is known of the
// dependency. Without a forced state it does nothing.
func (b *Breaker) AutoAt(now int64) {
	now = b.lock(now)
	defer b.unlock()
	switch b.state {
	case ForcedOpen:
		b.close(now, ReasonAuto)
	case ForcedClosed:
		b.ramp = ramp{}
		b.begin(now, Closed, ReasonAuto)
	}
}
