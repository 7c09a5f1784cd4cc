package report_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stanch-go/stanch/sim"
	"github.com/stanch-go/stanch/sim/report"
)

// Several results make a stream of one line each, which reads back as it was.
func TestJSON(t *testing.T) {
	p := stall(t, "waits", "degrades")
	var b strings.Builder
	for range 2 {
		if err := report.JSON(&b, p.Result); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines, want 2", len(lines))
	}
	for _, line := range lines {
		var back sim.Result
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&back); err != nil {
			t.Fatal(err)
		}
		want := *p.Result
		want.Variants = nil
		for _, v := range p.Result.Variants {
			v.Series = nil // not for JSON
			want.Variants = append(want.Variants, v)
		}
		if !reflect.DeepEqual(back, want) {
			t.Errorf("read back\n%+v\nwant\n%+v", back, want)
		}
		if !strings.Contains(line, "<= 250") {
			t.Error("an expectation's < is not legible")
		}
	}
}
