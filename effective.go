package stanch

// Effective returns c with every default filled in that has an effect. A
// Dependency made of it does the same as one made of c; a section that is off
// stays off.
func (c Config) Effective() Config {
	return Config{
		Timeout:  c.Timeout.Effective(),
		Retry:    c.Retry.Effective(),
		Budget:   c.Budget.Effective(),
		Breaker:  c.Breaker.Effective(),
		Rate:     c.Rate.Effective(),
		Bulkhead: c.Bulkhead.Effective(),
		Fallback: c.Fallback.Effective(),
	}
}
