package lint

import (
	"fmt"
	"strings"
	"time"

	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/policy"
	"github.com/stanch-go/stanch/quota"
)

// A taking is a limit or a quota that is on, as the rules see it.
type taking struct {
	path  string // such as inbound.limits.tenant
	what  string // limit or quota
	route string // empty: all
	by    inbound.By
	rate  float64 // a second, for each key
	burst float64
	keys  int

	window time.Duration // in which the file counts
	quota  *policy.Quota // nil for a limit
}

// at is the path of a key of it.
func (t taking) at(key string) string { return t.path + "." + key }

// admits says how much n instances that do not share it let in of one key.
func (t taking) admits(n int) string {
	return number(t.rate*t.window.Seconds()*float64(n)) + " in " + span(t.window)
}

// shared reports whether all instances have it together.
func (t taking) shared() bool {
	return t.quota != nil && t.quota.Mode != quota.ModeEmbedded
}

// takings are all limits and quotas that are on, in the order in which a request
// meets them.
func (w *world) takings() (all []taking) {
	in := w.file.Inbound
	if in == nil {
		return nil
	}
	for name, l := range in.Limits.All() {
		if l.Rate > 0 {
			all = append(all, taking{
				entry("inbound.limits", name), "limit", l.Route, l.By, l.Rate / l.Window.Seconds(), l.Burst, l.Keys, l.Window, nil,
			})
		}
	}
	for name, q := range in.Quotas.All() {
		if q.Rate > 0 {
			all = append(all, taking{
				entry("inbound.quotas", name), "quota", q.Route, q.By, q.Rate / q.Window.Seconds(), q.Burst, q.Keys, q.Window, &q,
			})
		}
	}
	return all
}

// here is what this instance alone takes in of it, for each key; 0 is not known.
func (w *world) here(t taking) float64 {
	if !t.shared() {
		return t.rate
	}
	if n := w.instances(t); n > 0 {
		return t.rate / float64(n)
	}
	return 0
}

// instances is how many share it; 0 is not known.
func (w *world) instances(t taking) int {
	if n := w.file.Service.Instances; n > 0 || t.quota == nil {
		return n
	}
	return t.quota.Instances
}

// covers reports whether a route has all requests of another.
func covers(wide, narrow string) bool {
	method, path := cutRoute(wide)
	other, below := cutRoute(narrow)
	same := method == "" || method == other || method == "GET" && other == "HEAD"
	return same && (path == below || strings.HasPrefix(below, path+"/") || path == "")
}

func cutRoute(route string) (method, path string) {
	method, path, ok := strings.Cut(route, " ")
	if !ok {
		method, path = "", route
	}
	return method, strings.TrimSuffix(path, "/")
}

// bounded reports whether something bounds the requests in flight.
func (w *world) bounded() bool { return w.file.Inbound != nil && w.file.Inbound.Concurrency.Bounded() }

// most is how many requests this instance is let have in flight; 0: no bound, or
// one that finds itself.
func (w *world) most() int {
	if w.file.Inbound == nil {
		return 0
	}
	return w.file.Inbound.Concurrency.Limit
}

// A ceiling is what this instance can do at most.
type ceiling struct {
	perSecond float64
	words     string
}

// capacity is the least of what follows from Little's law: places by the time
// that each is held. A request holds a worker, or a place of the concurrency, for
// at least the p50 of what it calls, as often as the declared rates say; and it
// holds a place in the bulkhead of what no answer can do without. Not known
// without p50 and rates.
func (w *world) capacity() (least ceiling, known bool) {
	requests, _ := w.file.Service.Rates.Get("requests")
	add := func(c ceiling) {
		if !known || c.perSecond < least.perSecond || c.perSecond == least.perSecond && c.words < least.words {
			least, known = c, true
		}
	}
	for _, c := range w.calls {
		calls, _ := w.file.Service.Rates.Get(c.name)
		share := min(calls/requests, 1) // of the requests call it, as far as is known
		if !(share > 0) || c.P50 <= 0 {
			continue
		}
		of := ""
		if share < 1 {
			of = fmt.Sprintf(" of %s %% of the requests", number(100*share))
		}
		held := c.P50.Seconds() * share
		for _, places := range []struct {
			n    int
			what string
		}{{w.file.Service.Workers, "workers"}, {w.most(), "requests in flight"}} {
			if places.n > 0 {
				add(ceiling{float64(places.n) / held, fmt.Sprintf("%d %s / %s, the p50 of %s%s", places.n, places.what, span(c.P50), c.name, of)})
			}
		}
		if c.core() && c.places() > 0 {
			add(ceiling{float64(c.places()) / held, fmt.Sprintf("%d places of the bulkhead / %s, the p50 of %s%s", c.places(), span(c.P50), c.name, of)})
		}
	}
	return least, known
}

// time is how long a request may take, and the key that says so; 0 is not known.
func (w *world) time() (d time.Duration, key string) {
	if w.file.Inbound == nil {
		return 0, ""
	}
	if w.given("inbound.deadline") {
		return w.file.Inbound.Deadline, "inbound.deadline"
	}
	return w.file.Inbound.Deadline, "service.deadline"
}
