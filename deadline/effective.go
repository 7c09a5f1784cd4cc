package deadline

// Effective returns c with every default filled in. The zero Config, which
// bounds nothing, stays as it is.
func (c Config) Effective() Config {
	if c != (Config{}) && c.Max == 0 {
		c.Max = DefaultMax
	}
	return c
}
