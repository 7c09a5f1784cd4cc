package house

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stanch-go/stanch/sim"
)

// TestReadmeTellsTheTruth plays the incident of the README's picture and runs
// the command that it shows. Figures and lines have to be in what comes out.
func TestReadmeTellsTheTruth(t *testing.T) {
	fenced, _ := blocks(read(t, "README.md"))
	pictures, runs := 0, 0
	for _, b := range fenced {
		if b.language == "text" && strings.HasPrefix(b.text, "second ") {
			pictures++
			checkPicture(t, b)
		}
		if first, rest, _ := strings.Cut(b.text, "\n"); b.language == "console" {
			runs++
			checkRun(t, b.line, first, rest)
		}
	}
	if pictures != 1 || runs != 1 {
		t.Errorf("the README has %d pictures and %d runs of the command, want one of each", pictures, runs)
	}
}

// TestReadmeMapsTheLibrary looks for each package of the library in the map.
func TestReadmeMapsTheLibrary(t *testing.T) {
	text := read(t, "README.md")
	for _, p := range packages(t) {
		if slices.Contains(library, p.unit()) && !strings.Contains(text, "| [`"+p.Name+"`](") {
			t.Errorf("README.md has no line for %s: say in one what it does", p.ImportPath)
		}
	}
}

// checkPicture compares the rows of figures with those of the scenario.
func checkPicture(t *testing.T, b block) {
	t.Helper()
	s, err := sim.ReadFile(root() + "/scenarios/a-timeout.yaml")
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Play(t.Context(), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ title, variant, figure string }{
		{"unprotected", "no-timeout", "completed_per_s"},
		{"guarded", "full", "completed_per_s"},
		{"of these live", "full", "ok_per_s"},
	} {
		want := make([]string, 8)
		for second := range want {
			x, err := r.Figure(row.variant, fmt.Sprintf("%s[%d]", row.figure, second))
			if err != nil {
				t.Fatal(err)
			}
			want[second] = fmt.Sprint(x)
		}
		found := false
		for line := range strings.Lines(b.text) {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(line), row.title); ok {
				found = true
				if got := strings.Join(strings.Fields(rest), " "); got != strings.Join(want, " ") {
					t.Errorf("README.md:%d: %s is %s, but the scenario now gives %s: write that, if it was meant", b.line, row.title, got, strings.Join(want, " "))
				}
			}
		}
		if !found {
			t.Errorf("README.md:%d: no row %q", b.line, row.title)
		}
	}
}

// checkRun runs a command line and looks for each of the lines shown in what it
// prints, in this order. A line of dots stands for what was left out.
func checkRun(t *testing.T, number int, prompt, shown string) {
	t.Helper()
	words := strings.Fields(strings.TrimPrefix(prompt, "$ "))
	c := exec.Command(words[0], words[1:]...)
	c.Dir = root()
	out, err := c.Output()
	if err != nil {
		t.Fatalf("README.md:%d: %s: %v\n%s", number, prompt, err, out)
	}
	rest := string(out)
	for line := range strings.Lines(shown) {
		number++
		if line = strings.TrimSpace(line); line == "..." {
			continue
		}
		_, after, ok := strings.Cut(rest, line)
		if !ok {
			t.Fatalf("README.md:%d: %q is not, or not here, in what %q prints now:\n%s", number, line, prompt, out)
		}
		rest = after
	}
}
