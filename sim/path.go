package sim

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/stanch-go/stanch"
)

// figure names one number of a result, or several.
type figure struct{ variant, of, path string }

var (
	figureForm = regexp.MustCompile(`^\s*(.*\S)\s*:\s*(?:(mean|sum|min|max)\s+)?(\S+)\s*$`)
	stepForm   = regexp.MustCompile(`^([^\[\]]+)(?:\[(\d+)(?:-(\d+))?\])?$`)
)

// wholes are where paths begin that do not lead into the metrics.
var wholes = []string{"dependencies", "classes", "services", "priorities"}

// canceled is why a request was refused whose caller went away before its call.
const canceled = "canceled"

// never is the figure of a time that did not come.
const never = -1

func parseFigure(text string) (figure, error) {
	parts := figureForm.FindStringSubmatch(text)
	if parts == nil {
		return figure{}, fmt.Errorf("%q is neither a number nor a figure of a variant", text)
	}
	return figure{parts[1], parts[2], parts[3]}, nil
}

// Figure returns the figure at a path of a variant; see Expected for paths, such
// as "mean completed_per_s[0..4]". Of several it returns the first.
func (r *Result) Figure(variant, path string) (float64, error) {
	f := figure{variant: variant, path: path}
	if of, rest, ok := strings.Cut(path, " "); ok && slices.Contains([]string{"mean", "sum", "min", "max"}, of) {
		f.of, f.path = of, rest
	}
	all, err := r.figure(f)
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

// figures walks the JSON form of the result, so that paths are what --json
// shows. It never returns an empty list without an error.
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
	if first, _, _ := strings.Cut(path, "."); slices.Contains(wholes, first) {
		at = tree
	}
	parent := ""
	steps := strings.Split(strings.ReplaceAll(path, "..", "-"), ".") // a range's dots part nothing
	for i, step := range steps {
		parts := stepForm.FindStringSubmatch(step)
		m, ok := at.(map[string]any)
		if parts == nil || !ok {
			return nil, fmt.Errorf("there is no figure %q", path)
		}
		name, from, to := parts[1], parts[2], parts[3]
		if at, ok = m[name]; !ok {
			if at, ok = omitted(m, parent, name); !ok {
				return nil, fmt.Errorf("there is no figure %q: %s", path, has(parent, m))
			}
		}
		parent = name
		if from == "" {
			continue
		}
		list, ok := at.([]any)
		if !ok {
			return nil, fmt.Errorf("there is no figure %q: %q is not a list", path, name)
		}
		if name == "transitions" {
			return transition(list, from, to, steps[i+1:], path)
		}
		if i+1 < len(steps) {
			return nil, fmt.Errorf("there is no figure %q: %q is a list of numbers", path, name)
		}
		return pick(list, from, to, path)
	}
	x, ok := at.(float64)
	if !ok {
		return nil, fmt.Errorf("%q is not a number", path)
	}
	return []float64{x}, nil
}

// reasons are all for which a request can be refused. JSON leaves out those
// that did not occur.
var reasons = []string{
	QueueFull, canceled, stanch.ErrBreakerOpen.Label(), stanch.ErrBulkheadFull.Label(), stanch.ErrQueueTimeout.Label(),
	stanch.ErrBudget.Label(), stanch.ErrDeadline.Label(), stanch.ErrRateLimited.Label(), stanch.ErrQuota.Label(), stanch.ErrShed.Label(), stanch.ErrNested.Label(),
}

// omitted returns 0 for the figures that JSON leaves out when they are 0.
func omitted(m map[string]any, parent, name string) (any, bool) {
	_, metrics := m["requests"]
	return 0.0, metrics && (name == "hung" || name == "orphaned") || parent == "refused" && slices.Contains(reasons, name)
}

// has says what there is instead.
func has(parent string, m map[string]any) string {
	names := make([]string, 0, len(m))
	for k := range m {
		names = append(names, k)
	}
	if parent == "refused" {
		names = slices.Clone(reasons)
	}
	slices.Sort(names)
	of := strconv.Quote(parent)
	if parent == "" {
		of = "a variant"
	}
	return of + " has " + strings.Join(names, ", ")
}

// transition returns the time of a breaker's change of state, never if there
// were not so many.
func transition(list []any, from, to string, rest []string, path string) ([]float64, error) {
	i, err := strconv.Atoi(from)
	if err != nil || to != "" || !slices.Equal(rest, []string{"t_s"}) {
		return nil, fmt.Errorf("there is no figure %q: of a transition there is t_s, as in transitions[0].t_s", path)
	}
	if i >= len(list) {
		return []float64{never}, nil
	}
	x, ok := list[i].(map[string]any)["t_s"].(float64)
	if !ok {
		return nil, fmt.Errorf("%q is not a number", path)
	}
	return []float64{x}, nil
}

// pick returns the items of a list at "2", or from "0" to "4". What is beyond
// its end is 0: nothing was counted there.
func pick(items []any, low, high, path string) ([]float64, error) {
	if high == "" {
		high = low
	}
	from, err1 := strconv.Atoi(low)
	to, err2 := strconv.Atoi(high)
	if err1 != nil || err2 != nil || to < from || to > 1e6 {
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
