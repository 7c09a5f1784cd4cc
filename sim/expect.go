package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/stanch-go/stanch/internal/strict"
)

// An Expected is one thing that a scenario expects of its figures:
//
//	VARIANT: FIGURE OPERATOR VALUE
//
// FIGURE is a path into the result as it is printed in JSON: first into the
// variant's metrics, or into "dependencies" or "classes" by name, as in
// latency_ms.p99, refused.queue_full, dependencies.db.peak_in_flight. An index
// in brackets picks from a list; completed_per_s[0..4] means each of them, and
// "mean completed_per_s[0..4]", or sum, min, max, one number of them.
// OPERATOR is one of == != < <= > >=, or ~ for "within 10 %"; another tolerance
// follows as in "~ 2060 within 5%". VALUE is a number, or VARIANT: FIGURE.
type Expected struct {
	Text string

	left      figure
	operator  string
	right     figure
	value     float64
	tolerance float64
}

type figure struct{ variant, of, path string }

var (
	expectedForm = regexp.MustCompile(`^(.+?)\s*(==|!=|<=|>=|<|>|~)\s*(.+?)(?:\s+within\s+([0-9.]+)%)?$`)
	figureForm   = regexp.MustCompile(`^(.*\S)\s*:\s*(?:(mean|sum|min|max)\s+)?(\S+)$`)
)

// UnmarshalStrict reads a line.
func (e *Expected) UnmarshalStrict(n *strict.Node, d *strict.Decoder) {
	var text string
	if !d.Decode(n, &text) {
		return
	}
	parsed, err := ParseExpected(text)
	if err != nil {
		d.Fault(err.Error(), `write "VARIANT: FIGURE OPERATOR VALUE", such as "full: latency_ms.max <= 250"`)
		return
	}
	*e = parsed
}

// ParseExpected reads one expectation.
func ParseExpected(text string) (Expected, error) {
	parts := expectedForm.FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil {
		return Expected{}, fmt.Errorf("%q is not an expectation", text)
	}
	e := Expected{Text: strings.TrimSpace(text), operator: parts[2], tolerance: 0.1}
	var err error
	if e.left, err = parseFigure(parts[1]); err != nil {
		return Expected{}, err
	}
	if value, err := strconv.ParseFloat(parts[3], 64); err == nil {
		e.value = value
	} else if e.right, err = parseFigure(parts[3]); err != nil {
		return Expected{}, err
	}
	if parts[4] != "" {
		if e.operator != "~" {
			return Expected{}, errors.New(`a tolerance goes with the operator ~ only`)
		}
		percent, err := strconv.ParseFloat(parts[4], 64)
		if err != nil {
			return Expected{}, fmt.Errorf("%q is not a percentage", parts[4])
		}
		e.tolerance = percent / 100
	}
	return e, nil
}

func parseFigure(text string) (figure, error) {
	parts := figureForm.FindStringSubmatch(text)
	if parts == nil {
		return figure{}, fmt.Errorf("%q is neither a number nor a figure of a variant", text)
	}
	return figure{parts[1], parts[2], parts[3]}, nil
}

// checkExpected finds expectations of variants or figures that there are not.
func (s *Scenario) checkExpected(root *strict.Node) strict.Faults {
	var faults strict.Faults
	empty := &Result{}
	for _, v := range s.Variants {
		r := NewRecorder(&v.Model)
		for name := range v.Model.Loads.All() {
			r.Class(name)
		}
		result := r.Result()
		result.Name = v.Name
		empty.Variants = append(empty.Variants, result)
		for i, p := range v.Published {
			if _, err := empty.figure(figure{v.Name, "", p.Key}); err != nil && v.Published[i].At != nil {
				faults = append(faults, v.Published[i].At.Fault("", "published: "+err.Error()))
			}
		}
	}
	for i, e := range s.Expect {
		for _, f := range []figure{e.left, e.right} {
			if f == (figure{}) {
				continue
			}
			if _, err := empty.figure(f); err != nil {
				faults = append(faults, root.Fault(fmt.Sprintf("expect[%d]", i), err.Error()))
			}
		}
	}
	return faults
}

// Check adds the expectations to the result. Those that name a variant which
// was not played are left out.
func (r *Result) check(expected []Expected) {
	r.Expectations = []Expectation{}
	for _, e := range expected {
		if !r.played(e.left.variant) || e.right != (figure{}) && !r.played(e.right.variant) {
			continue
		}
		r.Expectations = append(r.Expectations, e.check(r))
	}
}

func (r *Result) played(variant string) bool {
	return slices.ContainsFunc(r.Variants, func(v VariantResult) bool { return v.Name == variant })
}

func (e Expected) check(r *Result) Expectation {
	out := Expectation{Text: e.Text}
	left, err := r.figure(e.left)
	want := e.value
	if err == nil && e.right != (figure{}) {
		var right []float64
		if right, err = r.figure(e.right); err == nil {
			want = right[0]
		}
	}
	if err != nil || len(left) == 0 {
		return out
	}
	out.Holds = true
	out.Figure = left[0]
	for _, x := range left {
		if !e.holds(x, want) {
			out.Holds, out.Figure = false, x
			break
		}
	}
	return out
}

func (e Expected) holds(x, want float64) bool {
	switch e.operator {
	case "==":
		return x == want
	case "!=":
		return x != want
	case "<":
		return x < want
	case "<=":
		return x <= want
	case ">":
		return x > want
	case ">=":
		return x >= want
	}
	return math.Abs(x-want) <= e.tolerance*math.Abs(want)
}

// Figure returns the figure at a path of a variant; see Expected for paths.
func (r *Result) Figure(variant, path string) (float64, error) {
	all, err := r.figure(figure{variant, "", path})
	if err != nil {
		return 0, err
	}
	return all[0], nil
}

func (r *Result) figure(f figure) ([]float64, error) {
	for i := range r.Variants {
		if r.Variants[i].Name == f.variant {
			all, err := r.Variants[i].figures(f.path)
			return f.fold(all), err
		}
	}
	return nil, fmt.Errorf("there is no variant %q", f.variant)
}

// fold makes one number of all, if the figure asks for it.
func (f figure) fold(all []float64) []float64 {
	if f.of == "" || len(all) == 0 {
		return all
	}
	sum := 0.0
	for _, x := range all {
		sum += x
	}
	switch f.of {
	case "sum":
		return []float64{sum}
	case "min":
		return []float64{slices.Min(all)}
	case "max":
		return []float64{slices.Max(all)}
	}
	return []float64{round(sum/float64(len(all)), 2)}
}

// figures walks the JSON form of the result, so that paths are what --json shows.
func (v *VariantResult) figures(path string) ([]float64, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var tree map[string]any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	var at any = tree["metrics"]
	if first, _, _ := strings.Cut(path, "."); first == "dependencies" || first == "classes" {
		at = tree
	}
	var parent string
	for step := range strings.SplitSeq(strings.ReplaceAll(path, "..", "-"), ".") { // a range's dots part nothing
		name, index, indexed := strings.Cut(step, "[")
		m, ok := at.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("there is no figure %q", path)
		}
		if at, ok = m[name]; !ok {
			if parent != "refused" && name != "hung" && name != "orphaned" {
				return nil, fmt.Errorf("there is no figure %q: %q has %s", path, orTop(parent), keys(m))
			}
			at = 0.0
		}
		if indexed {
			index = strings.TrimSuffix(index, "]")
			if at, ok = item(at, index); !ok {
				return pick(m[name], path, index)
			}
		}
		parent = name
	}
	x, ok := at.(float64)
	if !ok {
		return nil, fmt.Errorf("%q is not a number", path)
	}
	return []float64{x}, nil
}

// item returns the object at an index of a list of objects.
func item(list any, index string) (any, bool) {
	items, ok := list.([]any)
	i, err := strconv.Atoi(index)
	if !ok || err != nil || i < 0 || i >= len(items) {
		return nil, false
	}
	_, ok = items[i].(map[string]any)
	return items[i], ok
}

// pick returns the items of a list at "2" or "0..4". What is beyond its end is 0:
// nothing was counted there.
func pick(list any, path, index string) ([]float64, error) {
	items, ok := list.([]any)
	if !ok {
		return nil, fmt.Errorf("%q is not a list", path)
	}
	low, high, ranged := strings.Cut(index, "-")
	if !ranged {
		high = low
	}
	from, err1 := strconv.Atoi(low)
	to, err2 := strconv.Atoi(high)
	if err1 != nil || err2 != nil || from < 0 || to < from || to > 1e6 {
		return nil, fmt.Errorf("%q has neither an index nor a range such as 0..4", path)
	}
	out := make([]float64, to-from+1)
	for i := range out {
		if from+i < len(items) {
			x, ok := items[from+i].(float64)
			if !ok {
				return nil, fmt.Errorf("%q is not a list of numbers", path)
			}
			out[i] = x
		}
	}
	return out, nil
}

func orTop(s string) string {
	if s == "" {
		return "a variant"
	}
	return s
}

func keys(m map[string]any) string {
	names := make([]string, 0, len(m))
	for k := range m {
		names = append(names, k)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
