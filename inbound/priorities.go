package inbound

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/stanch-go/stanch/shed"
)

// Priority is the name of a shed.Priority. Empty means critical.
type Priority string

// Values lists what a policy file may say.
func (Priority) Values() []string {
	return []string{shed.Sheddable.String(), shed.SheddablePlus.String(), shed.Critical.String(), shed.CriticalPlus.String()}
}

func (p Priority) parse() (shed.Priority, bool) {
	return shed.ParsePriority(cmp.Or(string(p), shed.Critical.String()))
}

// Priorities say how important a request is: what its route says, or else what it
// says itself if that is trusted, or else the default.
type Priorities struct {
	// Trust believes what a request says of its priority, in HTTP its header
	// X-Criticality: only behind services of one's own. Default false.
	Trust bool `yaml:"trust"`
	// Default is the priority of a request about which nothing is said:
	// critical-plus, critical, sheddable-plus or sheddable. Default critical.
	Default Priority `yaml:"default"`
	// Routes have a priority of their own, by path as in "/export" or "POST /orders";
	// the longest path that fits counts.
	Routes []RoutePriority `yaml:"-"`
}

// RoutePriority is the priority of a route.
type RoutePriority struct {
	Route    string   // as in "/export" or "POST /orders": this path and those below it
	Priority Priority // of its requests, whatever they say of themselves
}

// Effective returns p with every default filled in.
func (p Priorities) Effective() Priorities {
	p.Default = cmp.Or(p.Default, Priority(shed.Critical.String()))
	return p
}

// Validate returns every fault, joined, each beginning with the name of the field.
func (p Priorities) Validate() error {
	var f faults
	if _, ok := p.Default.parse(); !ok {
		f.add("default: must be one of critical-plus, critical, sheddable-plus, sheddable, is %q", string(p.Default))
	}
	for _, r := range p.Routes {
		path := fmt.Sprintf("routes[%q]", r.Route)
		if _, ok := r.Priority.parse(); !ok {
			f.add("%s: must be one of critical-plus, critical, sheddable-plus, sheddable, is %q", path, string(r.Priority))
		}
		var own faults
		checkRoute(&own, r.Route)
		f.check(r.Route != "" && own == nil, "%s: must be a path such as /search, or GET /search", path)
	}
	return errors.Join(f...)
}

// ranks are the priorities, ready to be looked up.
type ranks struct {
	fallback shed.Priority
	routes   []rank // the longest path first
}

type rank struct {
	route
	priority shed.Priority
}

func (p Priorities) ranks() ranks {
	var r ranks
	r.fallback, _ = p.Default.parse()
	for _, entry := range p.Routes {
		priority, _ := entry.Priority.parse()
		r.routes = append(r.routes, rank{parseRoute(entry.Route), priority})
	}
	r.sort()
	return r
}

// sort puts the longest path first, and of two as long the one for a method.
func (r *ranks) sort() {
	slices.SortStableFunc(r.routes, func(a, b rank) int {
		return cmp.Or(len(b.path)-len(a.path), len(b.method)-len(a.method))
	})
}

func (r *ranks) of(q *Request, trust bool) shed.Priority {
	for i := range r.routes {
		if r.routes[i].matches(q.Method, q.Path) {
			return r.routes[i].priority
		}
	}
	if trust && q.HasPriority {
		return q.Priority
	}
	return r.fallback
}
