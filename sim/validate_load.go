package sim

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/stanch-go/stanch/shed"
)

// Validate returns every fault of the load.
func (l Load) Validate() error {
	var f faults
	var kinds []string
	if l.Clients != 0 {
		kinds = append(kinds, "clients")
	}
	if l.Rate != 0 {
		kinds = append(kinds, "rate")
	}
	if len(l.Trace) > 0 {
		kinds = append(kinds, "trace")
	}
	f.check(len(kinds) > 0, "to: a load is one of clients, rate and trace")
	for _, kind := range kinds {
		f.check(len(kinds) == 1, "%s: a load is only one of clients, rate and trace", kind)
	}
	f.check(l.Clients >= 0 && l.Clients <= maxClients, "clients: must be between 0 and %d, is %d", maxClients, l.Clients)
	f.check(l.Rate >= 0 && l.Rate <= maxRate, "rate: must be between 0 and %d a second, is %v", maxRate, l.Rate)
	f.check(l.Think >= 0, "think: must not be negative, is %v", l.Think)
	f.check(l.Clients != 0 || l.Think == 0, "think: has no effect without clients")
	f.check(l.Rate != 0 || l.Arrivals == "", "arrivals: has no effect without a rate")
	f.check(l.Arrivals == "" || slices.Contains(l.Arrivals.Values(), string(l.Arrivals)), "arrivals: must be one of %s, is %q", strings.Join(l.Arrivals.Values(), ", "), l.Arrivals)
	f.check(l.From >= 0, "from: must not be negative, is %v", l.From)
	f.check(l.Until == 0 || l.Until > l.From, "until: must be after from (%v), is %v", l.From, l.Until)
	f.check(slices.IsSorted(l.Trace), "trace: instants must be in order")
	f.check(len(l.Trace) == 0 || l.Trace[0] >= 0, "trace: instants must not be negative")
	f.check(l.Deadline >= 0, "deadline: must not be negative, is %v", l.Deadline)
	f.check(l.Users >= 0 && l.Users <= maxClients, "users: must be between 0 and %d, is %d", maxClients, l.Users)
	f.under("priority", l.Priority.Validate())
	f.under("tenant", l.Tenant.Validate())
	f.under("spread", l.Spread.Validate())
	return f.err()
}

// checkZipf finds exponents that make no sense.
func checkZipf(f *faults, path string, x float64) {
	f.check(x >= 0 && x <= 10, "%s: must be between 0 and 10, is %v", path, x)
}

// Validate returns every fault of the tenants.
func (t Tenants) Validate() error {
	var f faults
	f.check(t.Number >= 0 && t.Number <= maxClients, "number: must be between 1 and %d, is %d", maxClients, t.Number)
	f.check(t.Number > 0 || t.Zipf == 0, "number: is needed with zipf")
	checkZipf(&f, "zipf", t.Zipf)
	return f.err()
}

// Validate returns every fault of the spread.
func (s Spread) Validate() error {
	var f faults
	checkZipf(&f, "zipf", s.Zipf)
	return f.err()
}

// Validate returns every fault of the shares.
func (s Shares) Validate() error {
	var f faults
	sum := 0.0
	for name, share := range Map[float64](s).All() {
		f.check(isPriority(name), "%s: must be one of critical-plus, critical, sheddable-plus, sheddable", name)
		f.check(share >= 0 && !math.IsInf(share, 0), "%s: a share must not be negative, is %v", name, share)
		sum += share
	}
	if len(s) > 0 && !(sum > 0) && len(f) == 0 {
		return fmt.Errorf("the shares must not all be 0")
	}
	return f.err()
}

// isPriority reports whether it is the name of a priority, as a policy has it.
func isPriority(name string) bool {
	p, ok := shed.ParsePriority(name)
	return ok && p.String() == name
}
