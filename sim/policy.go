package sim

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stanch-go/stanch/internal/strict"
	"github.com/stanch-go/stanch/policy"
)

// Use guards the calls as the policy does: what the policy has a dependency
// for, and the model a dependency or service of that name. What the policy does
// not know keeps the guard that it has. The policy's inbound section is that of the
// service of its name, or of the only service. It is an error if the policy is of
// no use.
func (m *Model) Use(p *policy.Policy) error {
	guards, pools := slices.Clone(m.Policy), slices.Clone(m.Pools)
	met := false
	for name, d := range p.Dependencies.All() {
		_, dependency := m.Dependencies.Get(name)
		_, service := m.Services.Get(name)
		if !dependency && !service {
			continue
		}
		met = true
		guards = put(guards, name, Guard{Policy: d})
		if pool, ok := p.Pools.Get(d.Bulkhead.Pool); ok {
			pools = put(pools, d.Bulkhead.Pool, pool.Size)
		}
	}
	if m.takeIn(p) {
		met = true
	}
	if !met {
		return fmt.Errorf("none of the dependencies of %s is in this world, which has %s", p.Path, strings.Join(m.names(), ", "))
	}
	m.Policy, m.Pools = guards, pools
	return nil
}

// takeIn gives the policy's inbound section to the service that it is for, if
// there is one.
func (m *Model) takeIn(p *policy.Policy) bool {
	if p.Inbound == nil {
		return false
	}
	for i, s := range m.Services {
		if s.Key != p.Service.Name && (len(m.Services) > 1 || p.Service.Name != "") {
			continue
		}
		in := *p.Inbound
		in.Deadline = cmp.Or(in.Deadline, p.Service.Deadline)
		m.Services = slices.Clone(m.Services)
		m.Services[i].Value.Inbound = &in
		return true
	}
	return false
}

func (m *Model) names() (names []string) {
	for name := range m.Dependencies.All() {
		names = append(names, name)
	}
	for name := range m.Services.All() {
		names = append(names, name)
	}
	return names
}

// put sets the value of a key.
func put[T any](m Map[T], key string, value T) Map[T] {
	for i := range m {
		if m[i].Key == key {
			m[i].Value = value
			return m
		}
	}
	return append(m, strict.Entry[T]{Key: key, Value: value})
}

// policyFile splits off a policy that is the name of a file, and reads it. The
// name is relative to the scenario's file.
func policyFile(world *strict.Node) (*policy.Policy, *strict.Node, strict.Faults) {
	n := world.Get("policy")
	if n == nil || n.Kind != strict.Scalar {
		return nil, world, nil
	}
	_, rest := split(world, "policy")
	path := n.Value
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(n.File), path)
	}
	p, err := policy.Load(path)
	if faults, ok := err.(policy.Faults); ok {
		for i, f := range faults {
			if f.Line == 0 { // of the file as a whole, such as that there is none
				faults[i] = n.Fault("", "policy: "+f.Error())
			}
		}
		return nil, rest, faults
	} else if err != nil {
		return nil, rest, strict.Faults{n.Fault("", "policy: "+err.Error())}
	}
	return p, rest, nil
}
