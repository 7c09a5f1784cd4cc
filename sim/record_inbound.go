package sim

import (
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/quota"
	"github.com/stanch-go/stanch/shed"
)

// doorRecord is what came to one service, all its instances together.
type doorRecord struct {
	r        *Recorder
	admitted int64
	refused  map[string]int64 // by reason
	by       map[string]int64 // by the name of the limit or quota
	inFlight int
	peak     int
	perS     []int64
	flight   levels
	limit    levels
	quotas   map[string]*quotaRecord
	series   *ServiceSeries
}

// quotaRecord is one quota of a service. In virtual time nothing else looks at it
// meanwhile.
type quotaRecord struct {
	asked, failed     int64
	admitted, refused int64
	perS              []int64
	held              float64 // the most at once
	leases            []*quota.Leased
	allowed           float64 // a second
}

// fixedName is by what a fixed window refuses.
const fixedName = "fixed_window"

// newDoors makes the records of all services that take not everything in.
func newDoors(r *Recorder, m *Model) map[string]*doorRecord {
	doors := map[string]*doorRecord{}
	for name, s := range m.Services.All() {
		if s.Inbound == nil && s.FixedWindow == nil {
			continue
		}
		d := &doorRecord{r: r, refused: map[string]int64{}, by: map[string]int64{}, quotas: map[string]*quotaRecord{}, series: r.series.Services[name]}
		if s.FixedWindow != nil {
			d.by[fixedName] = 0
		}
		if s.Inbound != nil {
			c := s.Inbound.Config(0).Effective()
			for _, l := range c.Limits {
				d.by[l.Name] = 0
			}
			for _, q := range c.Quotas {
				d.by[q.Name] = 0
				d.quotas[q.Name] = &quotaRecord{allowed: q.Rate / max(q.Window.Seconds(), 1e-3)}
			}
		}
		doors[name] = d
	}
	return doors
}

func (r *Recorder) door(service string) *doorRecord { return r.doors[service] }

func (d *doorRecord) quota(name string) *quotaRecord { return d.quotas[name] }

// ObserveInbound takes an event of a service's inbound section.
func (r *Recorder) ObserveInbound(service string, e inbound.Event) { r.doors[service].observe(e) }

func (d *doorRecord) observe(e inbound.Event) {
	d.r.mu.Lock()
	defer d.r.mu.Unlock()
	switch e.Step {
	case inbound.Admitted:
		d.admit(e.At)
		d.level(e.At, d.inFlight+1)
	case inbound.Ended:
		d.level(e.At, d.inFlight-1)
	case inbound.Refused:
		d.refuse(e.Reason.Label(), e.By)
	}
}

func (d *doorRecord) admit(at int64) {
	d.admitted++
	count(&d.perS, at)
}

func (d *doorRecord) refuse(reason, by string) {
	d.refused[reason]++
	if by != "" {
		d.by[by]++
	}
}

func (d *doorRecord) level(at int64, n int) {
	d.inFlight = n
	d.peak = max(d.peak, n)
	d.flight.note(int(at/int64(time.Second)), n)
	if s := d.r.series; !s.beyond(at) {
		d.series.inFlight.note(s.index(at), n)
	}
}

// window counts what a fixed window decided; alone if there is nothing behind it.
func (d *doorRecord) window(at int64, ok, alone bool) {
	d.r.mu.Lock()
	defer d.r.mu.Unlock()
	switch {
	case !ok:
		d.refuse(stanch.ErrRateLimited.Label(), fixedName)
	case alone:
		d.admit(at)
	}
}

// Limit notes the concurrency limit of a service at an instant, of all instances
// together.
func (r *Recorder) Limit(service string, at int64, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.series.beyond(at) {
		return
	}
	d := r.doors[service]
	d.limit.set(int(at/int64(time.Second)), n)
	d.series.limit.set(r.series.index(at), n)
}

func (q *quotaRecord) decided(at int64, d quota.Decision) {
	if !d.OK {
		q.refused++
		return
	}
	q.admitted++
	count(&q.perS, at)
}

// look notes what the instances hold unspent.
func (q *quotaRecord) look() {
	held := 0.0
	for _, l := range q.leases {
		held += l.Stats().Held
	}
	q.held = max(q.held, held)
}

// Ranked counts the end of a request by its priority.
func (r *Recorder) Ranked(p shed.Priority, how End) {
	if r.ranks == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.ranks[p]
	c.Requests++
	switch how {
	case EndOK:
		c.OK++
	case EndRefused, EndTurned:
		c.Refused++
	}
}

// count counts in the second of an instant.
func count(perS *[]int64, at int64) {
	second := int(at / int64(time.Second))
	for len(*perS) <= second {
		*perS = append(*perS, 0)
	}
	(*perS)[second]++
}

// levels are a level over time: in each step the most, or the last.
type levels struct {
	values []int
	level  int
}

// reach fills the steps without a change.
func (l *levels) reach(i int) {
	for len(l.values) <= i {
		l.values = append(l.values, l.level)
	}
}

// end returns the steps up to the end, none if there is nothing.
func (l *levels) end(n int) []int {
	if len(l.values) > 0 {
		l.reach(n - 1)
	}
	return l.values
}

func (l *levels) note(i, n int) {
	l.reach(i)
	l.level = n
	l.values[i] = max(l.values[i], n)
}

func (l *levels) set(i, n int) {
	l.reach(i)
	l.level = n
	l.values[i] = n
}

// ranked reports whether requests of the model have a priority.
func (m *Model) ranked() bool {
	for _, s := range m.Services {
		if s.Value.Inbound != nil {
			return true
		}
	}
	for _, l := range m.Loads {
		if len(l.Value.Priority) > 0 {
			return true
		}
	}
	return false
}

// priorities are all of them, the most important first.
var priorities = [...]shed.Priority{shed.CriticalPlus, shed.Critical, shed.SheddablePlus, shed.Sheddable}
