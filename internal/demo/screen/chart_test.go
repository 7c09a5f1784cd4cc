package screen

import (
	"strings"
	"testing"

	"github.com/stanch-go/stanch/internal/demo"
)

func TestCell(t *testing.T) {
	c := chart{rows: 4, columns: 1, full: 400}
	tests := []struct {
		name  string
		tick  demo.Tick
		cells string // from the bottom up
	}{
		{"nobody", demo.Tick{}, "×   "},
		{"errors are no answers", demo.Tick{Failed: 200}, "×   "},
		{"one answer is seen", demo.Tick{Live: 1}, "▁   "},
		{"one degraded answer is seen", demo.Tick{Degraded: 1}, "▒   "},
		{"live", demo.Tick{Live: 200}, "██  "},
		{"a little more", demo.Tick{Live: 203}, "██  "},
		{"half a row more", demo.Tick{Live: 250}, "██▄ "},
		{"degraded", demo.Tick{Degraded: 200}, "▒▒  "},
		{"both", demo.Tick{Live: 100, Degraded: 100}, "█▒  "},
		{"mostly degraded", demo.Tick{Live: 6, Degraded: 194}, "▒▒  "},
		{"full", demo.Tick{Live: 400}, "████"},
		{"more than full", demo.Tick{Live: 401}, "███▲"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got strings.Builder
			for row := range c.rows {
				r, _ := c.cell(tt.tick, row)
				got.WriteString(string(r))
			}
			if got.String() != tt.cells {
				t.Errorf("%q, want %q", got.String(), tt.cells)
			}
		})
	}
}
