package bulkhead

// Values lists what a policy file may say.
func (Order) Values() []string { return []string{string(FIFO), string(LIFO), string(Adaptive)} }

// Effective returns c with every default filled in that has an effect: only the
// order of a queue has one.
func (c Config) Effective() Config {
	if c.Queue > 0 && c.Order == "" {
		c.Order = FIFO
	}
	return c
}
