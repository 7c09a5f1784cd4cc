package ratelimit

// New returns the limiter that cfg describes, or the faults of the configuration.
func New(cfg Config) (Limiter, error) {
	switch cfg.Algorithm {
	case LeakyMeter:
		return made(NewMeter(cfg))
	case LeakyShaper:
		return made(NewShaper(cfg))
	case SlidingLog:
		return made(NewLog(cfg))
	case SlidingCounter:
		return made(NewCounter(cfg))
	}
	return made(NewBucket(cfg))
}

// made keeps a nil pointer from becoming a Limiter that is not nil.
func made[L Limiter](l L, err error) (Limiter, error) {
	if err != nil {
		return nil, err
	}
	return l, nil
}
