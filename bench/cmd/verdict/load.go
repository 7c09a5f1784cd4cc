package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// measured is what the rounds say: the value of each benchmark, by unit, one for
// each round, of its best pass.
type measured struct {
	names  []string // in the order in which they ran
	values map[string]map[string][]float64
	last   map[string]string // the round of the last value of each
}

// procs is the end of a name that says how many cores there were.
var procs = regexp.MustCompile(`-\d+$`)

func load(file string) (*measured, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m := &measured{values: map[string]map[string][]float64{}, last: map[string]string{}}
	r := benchfmt.NewReader(f, file)
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, rec
		case *benchfmt.Result:
			name := procs.ReplaceAllString(rec.Name.String(), "")
			if m.values[name] == nil {
				m.names = append(m.names, name)
				m.values[name] = map[string][]float64{}
			}
			for _, v := range rec.Values {
				value, unit := v.Value, v.Unit
				if v.OrigUnit != "" {
					value, unit = v.OrigValue, v.OrigUnit
				}
				m.add(name, unit, rec.GetConfig("round"), value)
			}
		}
	}
	return m, r.Err()
}

// add keeps a value, unless another pass of the same round was better.
func (m *measured) add(name, unit, round string, value float64) {
	all, of := m.values[name][unit], name+" "+unit
	better := func(a, b float64) float64 { return min(a, b) }
	if strings.HasSuffix(unit, "/s") {
		better = func(a, b float64) float64 { return max(a, b) }
	}
	if n := len(all); n > 0 && m.last[of] == round {
		all[n-1] = better(all[n-1], value)
		return
	}
	m.values[name][unit], m.last[of] = append(all, value), round
}

// of returns the values of one benchmark.
func (m *measured) of(name, unit string) ([]float64, error) {
	v := m.values[name][unit]
	if len(v) == 0 {
		return nil, fmt.Errorf("%s has no %s", name, unit)
	}
	return v, nil
}

// least returns, for each round, the value of the best of these.
func (m *measured) least(names []string, unit string) ([]float64, error) {
	var best []float64
	for _, n := range names {
		v, err := m.of(n, unit)
		if err != nil {
			return nil, err
		}
		if best == nil {
			best = slices.Clone(v)
			continue
		}
		for i := range min(len(best), len(v)) {
			best[i] = min(best[i], v[i])
		}
	}
	return best, nil
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	if len(v) == 0 {
		return 0
	}
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// path is a name without its last part, who.
func (m *measured) paths() (all []string) {
	for _, n := range m.names {
		if p := pathOf(n); !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}

// pathOf cuts off who, which begins after the part that says how it was run.
func pathOf(name string) string {
	for _, part := range []string{"/alone/", "/parallel/", "/decision/", "/memory/"} {
		if i := strings.Index(name, part); i >= 0 {
			return name[:i+len(part)-1]
		}
	}
	return name[:max(0, strings.LastIndex(name, "/"))]
}
