package house

import (
	"slices"
	"strings"
	"testing"
)

// layers is the house from the ground up. A package imports those of layers
// below its own and those of its own unit, never a neighbour: mechanisms do not
// know each other, and neither do the programs above them.
var layers = []struct {
	name  string
	units []string
}{
	{"internal", []string{"internal"}},
	{"vocabulary", []string{"outcome"}},
	{"mechanisms", []string{"deadline", "retry", "breaker", "bulkhead", "fallback", "ratelimit", "adaptive", "shed", "quota"}},
	{"root", []string{""}},
	{"inbound", []string{"inbound"}},
	{"adapters", []string{"stanchhttp", "stanchgrpc", "stanchsql", "stanchredis", "stanchprom", "stanchotel", "stanchtest", "quota/redisquota"}},
	{"policy", []string{"policy"}},
	{"programs", []string{"sim", "lint", "proxy", "vet"}},
	{"demonstration", []string{"internal/demo"}}, // runs the programs
	{"command", []string{"cmd"}},
}

// library is what other programs import. It and all it imports come from the
// standard library and this module only.
var library = slices.Concat(
	[]string{"outcome", "", "inbound", "stanchhttp", "stanchsql", "stanchtest"},
	layers[2].units,
)

// checkers are no part of the house: they look at all of it.
var checkers = []string{modulePath + "/internal/house", modulePath + "/internal/gate", modulePath + "/e2e"}

func layerOf(unit string) int {
	for i, l := range layers {
		if slices.Contains(l.units, unit) {
			return i
		}
	}
	return -1
}

func TestArrowsPointDown(t *testing.T) {
	for _, p := range packages(t) {
		if slices.Contains(checkers, p.ImportPath) {
			continue
		}
		own := layerOf(p.unit())
		if own < 0 {
			t.Errorf("%s is on no layer: add %q to the layers of this test, as low as it can be", p.ImportPath, p.unit())
			continue
		}
		for _, i := range p.Imports {
			if !inside(i) || unitOf(i) == p.unit() {
				continue
			}
			switch other := layerOf(unitOf(i)); {
			case other > own:
				t.Errorf("%s (%s) imports %s (%s), which is above it: move what it needs down, or pass it in from above",
					p.ImportPath, layers[own].name, i, layers[other].name)
			case other == own:
				t.Errorf("%s imports its neighbour %s: let the layer above join the two, or move what both need down",
					p.ImportPath, i)
			}
		}
	}
}

func TestLibraryNeedsTheStandardLibraryOnly(t *testing.T) {
	seen := 0
	for _, p := range packages(t) {
		if !slices.Contains(library, p.unit()) {
			continue
		}
		seen++
		for _, d := range p.Deps {
			if !standard(d) && !inside(d) {
				t.Errorf("%s depends on %s: whoever imports the library gets it too. Write the few lines that are needed, or move this to an adapter outside the library", p.ImportPath, d)
			}
		}
	}
	if seen < 6 {
		t.Errorf("only %d packages of the library were found: this rule sees nothing", seen)
	}
}

func TestNamesSayWhatIsInside(t *testing.T) {
	vague := []string{"util", "utils", "common", "helper", "helpers", "misc", "shared", "lib", "pkg", "types"}
	for _, p := range packages(t) {
		if slices.Contains(vague, p.Name) {
			t.Errorf("package %s: name it after the one thing that it does", p.ImportPath)
		}
		for _, f := range p.GoFiles {
			if base := strings.TrimSuffix(f, ".go"); slices.Contains(vague, base) {
				t.Errorf("%s/%s: name it after the one idea in it", p.ImportPath, f)
			}
		}
	}
}
