package sim

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Options say how a scenario is played. The zero value plays all variants with
// the file's seed.
type Options struct {
	// Seed replaces the seed of the file when it is not nil.
	Seed *uint64
	// Variants are the names of those to play; none is all.
	Variants []string
	// Progress, when not nil, is told before each variant which one it is.
	Progress func(variant string, index, total int)
	// Play plays one variant; nil is PlayVirtual. Package real has another.
	Play func(ctx context.Context, m *Model) (VariantResult, error)
	// Mode is what the result says it was played in; default Virtual.
	Mode Mode
}

// Play plays the scenario. When ctx ends the result so far is returned, marked
// as interrupted, with the expectations of the variants that were completed.
func (s *Scenario) Play(ctx context.Context, o Options) (*Result, error) {
	variants, err := s.pick(o.Variants)
	if err != nil {
		return nil, err
	}
	if o.Play == nil {
		o.Play = func(ctx context.Context, m *Model) (VariantResult, error) {
			return PlayVirtual(m, func() bool { return ctx.Err() != nil })
		}
	}
	if o.Mode == "" {
		o.Mode = Virtual
	}
	r := &Result{Scenario: s.Name, Title: s.Title, Mode: o.Mode, Variants: []VariantResult{}}
	var complete []VariantResult
	for i := range variants {
		v := &variants[i]
		model := v.Model
		if o.Seed != nil {
			model.Seed = *o.Seed
		}
		r.Seed = model.Seed
		if o.Progress != nil {
			o.Progress(v.Name, i, len(variants))
		}
		result, err := o.Play(ctx, &model)
		if err != nil {
			return nil, fmt.Errorf("%s: variant %q: %w", s.Name, v.Name, err)
		}
		result.Name = v.Name
		for name, x := range v.Published.All() {
			if result.Published == nil {
				result.Published = map[string]float64{}
			}
			result.Published[name] = x
		}
		r.Variants = append(r.Variants, result)
		if ctx.Err() != nil {
			r.Interrupted = true
			break
		}
		complete = r.Variants
	}
	r.check(s.expected(o.Mode), complete)
	return r, nil
}

// expected returns what is expected of figures in that time.
func (s *Scenario) expected(m Mode) []Expected {
	if m != Real {
		return s.Expect
	}
	out := make([]Expected, len(s.Expect))
	for i, e := range s.Expect {
		out[i] = e.inRealTime()
	}
	return out
}

func (s *Scenario) pick(names []string) ([]Variant, error) {
	if len(names) == 0 {
		return s.Variants, nil
	}
	var picked []Variant
	for _, name := range names {
		i := slices.IndexFunc(s.Variants, func(v Variant) bool { return v.Name == name })
		if i < 0 {
			all := make([]string, len(s.Variants))
			for i, v := range s.Variants {
				all[i] = v.Name
			}
			return nil, fmt.Errorf("%s has no variant %q; it has %s", s.Name, name, strings.Join(all, ", "))
		}
		picked = append(picked, s.Variants[i])
	}
	return picked, nil
}
