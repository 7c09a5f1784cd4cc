package stanchprom

import (
	"slices"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
)

const (
	// MaxDependencies are counted by name.
	MaxDependencies = 256
	// MaxSources of each dependency are counted by name.
	MaxSources = 16

	other = "other"
)

// The fixed sets. A number beyond the last one has the label other.
var (
	results = named(stanch.ResultOK, stanch.ResultExcluded)
	states  = named(breaker.Closed, breaker.ForcedClosed)
	reasons = []string{
		stanch.ErrBreakerOpen.Label(), stanch.ErrBulkheadFull.Label(), stanch.ErrQueueTimeout.Label(), stanch.ErrBudget.Label(),
		stanch.ErrDeadline.Label(), stanch.ErrRateLimited.Label(), stanch.ErrQuota.Label(), stanch.ErrShed.Label(), stanch.ErrNested.Label(),
	}
)

// named returns the names of consecutive numbers.
func named[T interface {
	~uint8
	String() string
}](first, last T) []string {
	var names []string
	for x := first; x <= last; x++ {
		names = append(names, x.String())
	}
	return names
}

// place is where a name stands in a set, the place after the last one for other.
func place(set []string, name string) int {
	if i := slices.Index(set, name); i >= 0 {
		return i
	}
	return len(set)
}

// within brings counts to the names of a set. A count of anything else is added
// to other, which is there only when it is needed.
func within(set []string, counts map[string]uint64) map[string]uint64 {
	out := make(map[string]uint64, len(set))
	for _, name := range set {
		out[name] = 0
	}
	for name, n := range counts {
		if _, ok := out[name]; !ok {
			name = other
		}
		out[name] += n
	}
	return out
}
