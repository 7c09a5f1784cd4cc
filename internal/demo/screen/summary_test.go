package screen

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/stanch-go/stanch/internal/demo"
	"github.com/stanch-go/stanch/internal/golden"
)

func TestSummaries(t *testing.T) {
	early := reportAt(9)
	early.Early = true
	bad := finished()
	bad.Guarded.Failed, bad.Guarded.GaveUp, bad.Guarded.Waiting, bad.Guarded.Silence = 3, 2, 1, 1200*time.Millisecond
	bad.Late = 800 * time.Millisecond
	held := finished()
	held.Held = true
	for name, r := range map[string]demo.Report{"summary.txt": finished(), "summary-early.txt": early, "summary-held.txt": held, "summary-not-served.txt": bad, "summary-nothing.txt": {Config: demo.Default(), Early: true}} {
		t.Run(name, func(t *testing.T) {
			var plain, coloured bytes.Buffer
			if err := Summary(&plain, r, false); err != nil {
				t.Fatal(err)
			}
			if err := Summary(&coloured, r, true); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, "testdata/"+name, plain.String())
			if ansi.Strip(coloured.String()) != plain.String() {
				t.Error("without its colours the summary is another")
			}
		})
	}
}

func TestJSON(t *testing.T) {
	var out bytes.Buffer
	if err := JSON(&out, finished()); err != nil {
		t.Fatal(err)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, out.Bytes(), "", " "); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/figures.json", indented.String())
}
