package ratelimit

// A Meter is a leaky bucket as a meter, also known as the generic cell rate
// algorithm (ITU-T I.371, and ATM Forum Traffic Management 4.0 of 1996). Every
// cost fills the bucket, which leaks at Rate; what would make it overflow is
// refused. Nothing waits. It admits exactly what a token bucket of the same Burst
// admits; by default it has a Burst of 1, which lets calls through that come
// evenly. Make one with [NewMeter].
//
// In a stretch of time t it admits at most Burst + Rate·t/Window, and a unit.
type Meter struct{ gauge gauge }

// NewMeter returns a meter, or the faults of the configuration.
func NewMeter(cfg Config) (*Meter, error) {
	cfg, err := cfg.as(LeakyMeter)
	if err != nil {
		return nil, err
	}
	m := new(Meter)
	m.gauge.level.Store(newLevel(cfg))
	return m, nil
}

// AllowAt admits the cost if the bucket has room for it. It is one atomic swap.
func (m *Meter) AllowAt(now int64, cost float64) Decision {
	_, d := m.gauge.take(now, now, cost)
	return d
}

// SetAt changes the limits. What is in the bucket stays, up to the new Burst.
func (m *Meter) SetAt(now int64, cfg Config) error {
	cfg, err := cfg.as(LeakyMeter)
	if err == nil {
		m.gauge.set(now, cfg)
	}
	return err
}
