package fallback

import "time"

// Effective returns l with the defaults filled in.
func (l Limits) Effective() Limits {
	l.Timeout = defaulted(l.Timeout, 50*time.Millisecond)
	l.Concurrent = defaulted(l.Concurrent, 64)
	return l
}

// Effective returns c with the defaults filled in.
func (c StoreConfig) Effective() StoreConfig {
	c.MaxAge = defaulted(c.MaxAge, time.Hour)
	c.MaxBytes = defaulted(c.MaxBytes, 64<<20)
	c.MaxEntries = defaulted(c.MaxEntries, 10_000)
	c.RefreshLease = defaulted(c.RefreshLease, 10*time.Second)
	return c
}
