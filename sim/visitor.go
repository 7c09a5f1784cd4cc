package sim

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/stanch-go/stanch/shed"
)

// Shares are the priorities of a load's requests, with the share of each.
type Shares Map[float64]

// Tenants are those who pay for a load's requests: one of a name, or a number of
// them, called tenant-1 and so on.
type Tenants struct {
	Name string `yaml:"-"`
	// Number is how many there are. Range 1 to 1000000.
	Number int `yaml:"number"`
	// Zipf is the exponent of the power law by which they differ: with 1 the second
	// sends half as much as the first, and the third a third. Default 0: all alike.
	// Range 0 to 10.
	Zipf float64 `yaml:"zipf"`
}

// Spread says how a load is spread over the instances of a service.
type Spread struct {
	// Zipf is the exponent of the power law by which the instances differ. Default 0:
	// each in its turn. Range 0 to 10.
	Zipf float64 `yaml:"zipf"`
}

// A Visitor is who sends a request, and what it says of itself.
type Visitor struct {
	Tenant, User string
	Priority     shed.Priority
	HasPriority  bool
}

// Visitors draws who sends a load's requests.
type Visitors struct {
	load       *Load
	rand       *rand.Rand
	priorities []shed.Priority
	shares     weights
	tenants    []string
	sizes      weights
	users      []string
}

// Introduces reports whether its requests say anything of who sends them.
func (l *Load) Introduces() bool {
	return l.Users > 0 || len(l.Priority) > 0 || l.Tenant != (Tenants{})
}

// Visitors returns who sends the load's requests, drawn from r where it is random.
func (l *Load) Visitors(r *rand.Rand) *Visitors {
	v := &Visitors{load: l, rand: r, users: make([]string, l.Users)}
	for name, share := range Map[float64](l.Priority).All() {
		p, _ := shed.ParsePriority(name)
		v.priorities = append(v.priorities, p)
		v.shares.add(share)
	}
	for i := range l.Tenant.Number {
		v.tenants = append(v.tenants, "tenant-"+strconv.Itoa(i+1))
		v.sizes.add(zipf(i, l.Tenant.Zipf))
	}
	return v
}

// Next returns who sends the next request.
func (v *Visitors) Next() (who Visitor) {
	who.Tenant = v.load.Tenant.Name
	if len(v.tenants) > 0 {
		who.Tenant = v.tenants[v.sizes.draw(v.rand)]
	}
	if len(v.users) > 0 {
		i := v.rand.IntN(len(v.users))
		if v.users[i] == "" {
			v.users[i] = "user-" + strconv.Itoa(i+1)
		}
		who.User = v.users[i]
	}
	if len(v.priorities) > 0 {
		who.HasPriority, who.Priority = true, v.priorities[v.shares.draw(v.rand)]
	}
	return who
}

// zipf is the weight of the i-th of many, from 0.
func zipf(i int, exponent float64) float64 { return math.Pow(float64(i+1), -exponent) }

// weights are sums, so that a number below the last of them picks one.
type weights []float64

func (w *weights) add(weight float64) {
	if n := len(*w); n > 0 {
		weight += (*w)[n-1]
	}
	*w = append(*w, weight)
}

// draw draws no number where there is no choice.
func (w weights) draw(r *rand.Rand) int {
	last := len(w) - 1
	if last <= 0 {
		return 0
	}
	x := r.Float64() * w[last]
	i, found := slices.BinarySearch(w, x)
	if found {
		i++
	}
	return min(i, last)
}
