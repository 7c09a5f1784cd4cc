package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// verdicts prints a line for each promise and reports whether all are kept.
func verdicts(w io.Writer, m *measured, line string) bool {
	fmt.Fprintf(w, line, "verdict", "promise", "promised", "measured", "in one round")
	if strings.HasPrefix(line, "|") {
		fmt.Fprintf(w, line, "---", "---", "---", "---", "---")
	}
	kept := true
	for _, p := range promises {
		verdict, promised, got, spread := p.judge(m)
		if verdict != "kept" {
			kept = false
		}
		fmt.Fprintf(w, line, verdict, p.about, promised, got, spread)
	}
	return kept
}

// judge holds the median of the rounds against the promise.
func (p promise) judge(m *measured) (verdict, promised, got, spread string) {
	unit := p.unit
	if unit == "" {
		unit = "ns/op"
	}
	promised = p.text(unit)
	ours, err := m.of(p.ours, unit)
	if err != nil {
		return "missing", promised, err.Error(), ""
	}
	value, limit := ours, p.most
	if len(p.than) > 0 {
		than, err := m.least(p.than, unit)
		if err != nil {
			return "missing", promised, err.Error(), ""
		}
		value = nil
		for i := range min(len(ours), len(than)) {
			if p.plus > 0 {
				value = append(value, ours[i]-than[i])
			} else {
				value = append(value, ours[i]/than[i])
			}
		}
		spread = fmt.Sprintf("%s against %s %s, ", number(median(ours)), number(median(than)), unit)
	}
	if p.plus > 0 {
		limit = p.plus
	}
	v := median(value)
	good := v <= limit
	if p.least > 0 {
		good = v >= p.least
	}
	verdict = "kept"
	if !good {
		verdict = "**missed**"
	}
	spread += fmt.Sprintf("%s to %s in %d rounds", number(slices.Min(value)), number(slices.Max(value)), len(value))
	return verdict, promised, number(v), spread
}

func (p promise) text(unit string) string {
	switch {
	case p.least > 0:
		return fmt.Sprintf("at least %s %s", number(p.least), unit)
	case p.plus > 0:
		return fmt.Sprintf("at most %s ns more", number(p.plus))
	case len(p.than) > 0:
		return "at most " + number(p.most)
	}
	return fmt.Sprintf("at most %s %s", number(p.most), unit)
}

// tables prints every benchmark, path by path, with its ratio to Stanch's.
func tables(w io.Writer, m *measured) {
	for _, path := range m.paths() {
		fmt.Fprintf(w, "\n%s\n\n| who | ns/op | of Stanch's | B/op | allocs/op | |\n|---|---:|---:|---:|---:|---|\n", path)
		ours := 0.0
		for _, n := range m.names {
			if pathOf(n) == path && strings.HasPrefix(n[len(path)+1:], "stanch") && ours == 0 {
				ours = median(m.values[n]["ns/op"])
			}
		}
		for _, n := range m.names {
			if pathOf(n) != path {
				continue
			}
			v := m.values[n]
			ratio := ""
			if ours > 0 {
				ratio = number(median(v["ns/op"]) / ours)
			}
			var extra []string
			for _, unit := range []string{"B/key", "gc-ns", "calls/s", "allocs/call"} {
				if len(v[unit]) > 0 {
					extra = append(extra, number(median(v[unit]))+" "+unit)
				}
			}
			fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s |\n", n[len(path)+1:], number(median(v["ns/op"])), ratio,
				number(median(v["B/op"])), number(median(v["allocs/op"])), strings.Join(extra, ", "))
		}
	}
}

// number writes three digits, or all of those before the point.
func number(v float64) string {
	switch a := math.Abs(v); {
	case a == 0:
		return "0"
	case a < 1:
		return fmt.Sprintf("%.2f", v)
	case a < 10:
		return strings.TrimSuffix(fmt.Sprintf("%.2f", v), ".00")
	case a < 100:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0")
	}
	return fmt.Sprintf("%.0f", v)
}
