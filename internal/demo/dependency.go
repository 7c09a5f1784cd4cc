package demo

import (
	"net/http"
	"sync"
	"time"
)

// A dependency recommends articles. It is quick, except that for a while each
// call that comes is slow. Like most servers it does not notice that a caller
// has given up: it goes on with the work.
type dependency struct {
	cfg    Config
	began  time.Time
	ending chan struct{} // closed when nobody will want an answer any more

	mu       sync.Mutex // guards all below
	calls    int
	inFlight int
	peak     int
}

func (d *dependency) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	d.enter()
	defer d.leave()
	work := time.NewTimer(d.cfg.latency(time.Since(d.began)))
	defer work.Stop()
	select {
	case <-work.C:
		_, _ = w.Write([]byte(`["Tides", "Lanterns", "Bread"]`)) // who has gone misses nothing
	case <-d.ending:
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// latency is how long a call takes that comes so long after the beginning.
func (c Config) latency(at time.Duration) time.Duration {
	if c.Stalls(at) {
		return c.Slow
	}
	return c.Quick
}

// Stalls reports whether the dependency stalls at that time.
func (c Config) Stalls(at time.Duration) bool { return at >= c.StallAt && at < c.StallAt+c.Stall }

func (d *dependency) enter() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls++
	d.inFlight++
	d.peak = max(d.peak, d.inFlight)
}

func (d *dependency) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.inFlight--
}

func (d *dependency) counts() (calls, peak int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls, d.peak
}
