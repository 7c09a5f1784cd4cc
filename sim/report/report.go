// Package report shows what a scenario gave: as text for a terminal, as JSON
// for programs, and as one self-contained page with charts.
package report

import (
	"encoding/json"
	"io"
	"maps"
	"slices"

	"github.com/stanch-go/stanch/sim"
)

// Played is a scenario and what it gave.
type Played struct {
	Scenario *sim.Scenario
	Result   *sim.Result
}

// JSON writes the result as one object on a line of its own, so that several
// results make a stream. Its fields are those of sim.Result.
func JSON(w io.Writer, r *sim.Result) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // expectations have < and > in them
	return e.Encode(r)
}

// variant is one variant's world and figures.
type variant struct {
	*sim.VariantResult
	model *sim.Model
	// cut: the run ended early in this one.
	cut bool
}

func (p Played) variants() []variant {
	out := make([]variant, len(p.Result.Variants))
	for i := range p.Result.Variants {
		r := &p.Result.Variants[i]
		out[i] = variant{VariantResult: r, model: &sim.Model{}, cut: p.Result.Interrupted && i == len(out)-1}
		if k := slices.IndexFunc(p.Scenario.Variants, func(v sim.Variant) bool { return v.Name == r.Name }); k >= 0 {
			out[i].model = &p.Scenario.Variants[k].Model
		}
	}
	return out
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
