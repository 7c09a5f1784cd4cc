package policy

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stanch-go/stanch"
)

const shop = `version: 1
pools: {backends: {size: 3}}
dependencies:
  recommend: {class: optional_read, bulkhead: {pool: backends, guaranteed: 1}}
  reviews: {class: optional_read, bulkhead: {pool: backends, max: 2}}
  orders: {class: core_write, p99: 100ms, url: "http://orders"}
`

func build(t *testing.T, before *Set, text string) *Set {
	t.Helper()
	s, err := parse(t, text).Build(before)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func get(t *testing.T, s *Set, name string) *stanch.Dependency {
	t.Helper()
	d, err := s.Dependency(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestBuild(t *testing.T) {
	s := build(t, nil, shop)
	var names []string
	for name, d := range s.All() {
		names = append(names, name)
		if d.Name() != name || d != get(t, s, name) {
			t.Errorf("%s is %s", name, d.Name())
		}
	}
	if !slices.Equal(names, []string{"recommend", "reviews", "orders"}) {
		t.Errorf("the dependencies are %v", names)
	}
	if d := get(t, s, "orders"); d.Config().Timeout.Attempt != 300e6 || d.Bulkhead() == nil || !d.Config().Breaker.Enabled() {
		t.Errorf("%+v", d.Config())
	}
	_, err := s.Dependency("recomend")
	if err == nil || !strings.HasSuffix(err.Error(), `no dependency "recomend"; there are recommend, reviews, orders`) {
		t.Error(err)
	}
	if _, err := (&Set{}).Dependency("x"); err == nil {
		t.Error("an empty set has a dependency")
	}
	for range s.All() {
		break
	}
}

// The places of a pool are shared: two dependencies together have no more.
func TestPoolIsShared(t *testing.T) {
	s := build(t, nil, shop)
	recommend, reviews := get(t, s, "recommend"), get(t, s, "reviews")
	inside := func(d *stanch.Dependency, then func()) error {
		_, err := stanch.Do(t.Context(), d, func(context.Context) (int, error) { then(); return 0, nil })
		return err
	}
	err := inside(reviews, func() {
		_ = inside(reviews, func() {
			if err := inside(reviews, func() {}); !errors.Is(err, stanch.ErrBulkheadFull) {
				t.Errorf("a third place in a share of two: %v", err)
			}
			if err := inside(recommend, func() {
				if err := inside(recommend, func() {}); !errors.Is(err, stanch.ErrBulkheadFull) {
					t.Errorf("a fourth place in a pool of three: %v", err)
				}
			}); err != nil {
				t.Errorf("the guaranteed place is taken: %v", err)
			}
		})
	})
	if err != nil {
		t.Error(err)
	}
}

// What a reload carries over are the same objects, so that breakers, budgets and
// bulkheads live on; and nothing else is carried over.
func TestBuildCarriesOver(t *testing.T) {
	first := build(t, nil, shop)
	for name, step := range map[string]struct {
		old, new string
		same     string // dependencies that live on
	}{
		"nothing":             {"", "", "recommend reviews orders"},
		"a comment":           {"version: 1", "version: 1 # one", "recommend reviews orders"},
		"what is the default": {"p99: 100ms,", "p99: 100ms, timeout: {attempt: 300ms}, ", "recommend reviews orders"},
		"what calls do not see": {"p99: 100ms,", "p99: 100ms, p50: 10ms, allow: [{check: x, reason: y}],",
			"recommend reviews orders"},
		"another setting":         {"p99: 100ms", "p99: 200ms", "recommend reviews"},
		"another place":           {"http://orders", "http://bestellungen", "recommend reviews"},
		"the class of one":        {"recommend: {class: optional_read", "recommend: {class: side_path", "reviews orders"},
		"a share of the pool":     {"guaranteed: 1", "guaranteed: 2", "orders"},
		"the size of the pool":    {"size: 3", "size: 4", "orders"},
		"one left the pool":       {", bulkhead: {pool: backends, max: 2}", "", "orders"},
		"another order":           {"  orders: {class: core_write, p99: 100ms, url: \"http://orders\"}\n", "", "recommend reviews"},
		"a new one that is alone": {"dependencies:\n", "dependencies:\n  events: {class: side_path}\n", "recommend reviews orders"},
	} {
		text := strings.Replace(shop, step.old, step.new, 1)
		if text == shop && step.old != "" {
			t.Fatalf("%s: nothing changed", name)
		}
		second := build(t, first, text)
		var same []string
		for n, d := range second.All() {
			if old, err := first.Dependency(n); err == nil && old == d {
				same = append(same, n)
			}
		}
		if got := strings.Join(same, " "); got != step.same {
			t.Errorf("%s: %s live on, want %s", name, got, step.same)
		}
	}
}

// The fingerprint is another exactly when calls are treated in another way.
func TestFingerprint(t *testing.T) {
	const text = "version: 1\npools: {p: {size: 5}}\ndependencies:\n  d: {class: standard, p99: 100ms, url: 'http://d', fallback: {static: {body: x}}}\n"
	first := parse(t, text).Fingerprint("d")
	if len(first) != 12 {
		t.Errorf("the fingerprint is %q", first)
	}
	for _, step := range []struct {
		old, new string
		same     bool
	}{
		{"version: 1", "version: 1 #", true},
		{"size: 5", "size: 6", true}, // of a pool that it has no share of
		{"p99: 100ms", "p99: 100ms, timeout: {attempt: 300ms}, retry: {cap: 1s}, allow: [{check: x, reason: y}]", true},
		{"body: x", "body: x, status: 200", true},
		{"p99: 100ms", "p99: 101ms", false},
		{"'http://d'", "'http://e'", false},
		{"body: x", "body: y", false},
		{"body: x", "body: x, status: 203", false},
		{"p99: 100ms", "p99: 100ms, idempotency_header: X", false},
		{"p99: 100ms", "p99: 100ms, bulkhead: {pool: p}", false},
	} {
		got := parse(t, strings.Replace(text, step.old, step.new, 1)).Fingerprint("d")
		if (got == first) != step.same {
			t.Errorf("%s instead of %s: same is %v", step.new, step.old, got == first)
		}
	}
	pooled := strings.Replace(text, "p99: 100ms", "p99: 100ms, bulkhead: {pool: p, max: 2}", 1)
	if parse(t, pooled).Fingerprint("d") == parse(t, strings.Replace(pooled, "size: 5", "size: 6", 1)).Fingerprint("d") {
		t.Error("the size of the pool does not matter")
	}
	if parse(t, text).Fingerprint("nobody") != "" {
		t.Error("nobody has a fingerprint")
	}
}

// A file made in Go that nobody validated is refused, not built in part.
func TestBuildRefuses(t *testing.T) {
	for want, f := range map[string]File{
		"pools.p: size":                  {Pools: Map[Pool]{{Key: "p"}}},
		`there is no pool "q"`:           {Dependencies: Map[Dependency]{{Key: "d", Value: Dependency{Bulkhead: Bulkhead{Pool: "q"}}}}},
		`dependency "d": timeout.total:`: {Dependencies: Map[Dependency]{{Key: "d", Value: func() (d Dependency) { d.Timeout.Total = -1; return }()}}},
		`pools.p: share "d": guaranteed`: {
			Pools:        Map[Pool]{{Key: "p", Value: Pool{Size: 1}}},
			Dependencies: Map[Dependency]{{Key: "d", Value: Dependency{Bulkhead: Bulkhead{Pool: "p", Guaranteed: 2}}}},
		},
	} {
		if s, err := f.Build(nil); err == nil || s != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
