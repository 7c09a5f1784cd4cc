package breaker

// ramp admits a share of the calls that grows from a part to all of them. It
// adds the share up, call by call, and admits one at each whole, which is
// error diffusion: at a share of a third every third call passes. A random
// choice with the same mean would let bursts through.
type ramp struct {
	on     bool
	begun  int64
	length int64
	from   float64
	credit float64
}

func (r *ramp) start(at int64, cfg Config) {
	*r = ramp{
		on:     cfg.Ramp > 0,
		begun:  at,
		length: int64(cfg.Ramp),
		from:   cfg.RampFrom,
		credit: 1, // the first call passes
	}
}

// running tells whether the share is still below all.
func (r *ramp) running(now int64) bool {
	return r.on && now-r.begun < r.length
}

// admit takes one call into account, and ends the ramp when its time is over.
func (r *ramp) admit(now int64) bool {
	if !r.running(now) {
		r.on = false
		return true
	}
	r.credit += r.from + (1-r.from)*float64(now-r.begun)/float64(r.length)
	if r.credit < 1 {
		return false
	}
	r.credit--
	return true
}
