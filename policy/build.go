package policy

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/internal/strict"
)

// A Set is the dependencies of a policy, ready to be called. It does not change
// and is safe for concurrent use.
type Set struct {
	dependencies Map[*guard]
	pools        map[string]*pool
}

// A guard is a dependency with all that decided how it was built.
type guard struct {
	made *stanch.Dependency

	config stanch.Config
	url    string
	share  *bulkhead.Bulkhead // of a pool
}

// A pool with all that decided how it was built: places once promised cannot be
// taken back, so one other share makes another pool.
type pool struct {
	size   int
	wanted []wanted
	shares map[string]*bulkhead.Bulkhead
}

type wanted struct {
	name  string
	share bulkhead.Share
}

// Build makes the dependencies. The options are given to each.
//
// before may be the Set of an earlier policy; then what has not changed is not
// made again but taken over: the same dependency, with the state of its breaker,
// its budget and its bulkhead, and with the options that it was made with. A
// pool is taken over together with all its shares or not at all. Calls that run
// meanwhile end under the settings that they began with.
func (f *File) Build(before *Set, options ...stanch.Option) (*Set, error) {
	if before == nil {
		before = &Set{}
	}
	s := &Set{pools: map[string]*pool{}}
	for name, p := range f.Pools.All() {
		built, err := f.pool(name, p.Size, before.pools[name])
		if err != nil {
			return nil, fmt.Errorf("policy: pools.%s: %w", name, err)
		}
		s.pools[name] = built
	}
	for name, d := range f.Dependencies.All() {
		g := &guard{config: d.Config(), url: strings.Join(d.URL, "\n")}
		if d.Bulkhead.Pool != "" {
			p, ok := s.pools[d.Bulkhead.Pool]
			if !ok {
				return nil, fmt.Errorf("policy: dependencies.%s.bulkhead.pool: there is no pool %q", name, d.Bulkhead.Pool)
			}
			g.share = p.shares[name]
		}
		if old, ok := before.dependencies.Get(name); ok && old.config == g.config && old.url == g.url && old.share == g.share {
			g = old
		} else if err := g.make(name, options); err != nil {
			return nil, fmt.Errorf("policy: %w", err)
		}
		s.dependencies = append(s.dependencies, strict.Entry[*guard]{Key: name, Value: g})
	}
	return s, nil
}

func (g *guard) make(name string, options []stanch.Option) (err error) {
	if g.share != nil {
		options = append(slices.Clone(options), stanch.WithBulkhead(g.share))
	}
	g.made, err = stanch.New(name, g.config, options...)
	return err
}

// pool makes a pool with its shares, or returns the old one if it is the same.
func (f *File) pool(name string, size int, old *pool) (*pool, error) {
	p := &pool{size: size, shares: map[string]*bulkhead.Bulkhead{}}
	for user, d := range f.Dependencies.All() {
		if d.Bulkhead.Pool == name {
			p.wanted = append(p.wanted, wanted{user, d.Bulkhead.Share()})
		}
	}
	if old != nil && old.size == p.size && slices.Equal(old.wanted, p.wanted) {
		return old, nil
	}
	slots, err := bulkhead.NewPool(size)
	if err != nil {
		return nil, err
	}
	for _, w := range p.wanted {
		if p.shares[w.name], err = slots.Share(w.name, w.share); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Dependency returns the dependency of a name, or an error that says which names
// there are.
func (s *Set) Dependency(name string) (*stanch.Dependency, error) {
	if g, ok := s.dependencies.Get(name); ok {
		return g.made, nil
	}
	if len(s.dependencies) == 0 {
		return nil, fmt.Errorf("policy: there is no dependency %q, nor any other", name)
	}
	var names []string
	for known := range s.dependencies.All() {
		names = append(names, known)
	}
	return nil, fmt.Errorf("policy: there is no dependency %q; there are %s", name, strings.Join(names, ", "))
}

// All returns the dependencies by name, in the order of the file.
func (s *Set) All() iter.Seq2[string, *stanch.Dependency] {
	return func(yield func(string, *stanch.Dependency) bool) {
		for name, g := range s.dependencies.All() {
			if !yield(name, g.made) {
				return
			}
		}
	}
}
