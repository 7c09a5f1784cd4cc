package main

import (
	"fmt"
	"slices"

	"github.com/stanch-go/stanch/lint"
	"github.com/stanch-go/stanch/sim"
)

// sideBySide makes a scenario of two variants of one world, "before" and
// "after", in which the guards are those of two policies.
func sideBySide(file, variant string, reports []*lint.Report) (*sim.Scenario, error) {
	s, err := sim.ReadFile(file)
	if err != nil {
		return nil, err
	}
	world := s.Variants[0]
	if variant != "" {
		if err := hasVariants(s, []string{variant}); err != nil {
			return nil, err
		}
		world = s.Variants[slices.IndexFunc(s.Variants, func(v sim.Variant) bool { return v.Name == variant })]
	}
	out := &sim.Scenario{Name: s.Name, Title: s.Title, About: s.About, File: s.File, Text: s.Text}
	for i, name := range []string{"before", "after"} {
		model := world.Model
		if err := model.Use(reports[i].Policy); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out.Variants = append(out.Variants, sim.Variant{Name: name, Model: model})
	}
	return out, nil
}
