package sim

import (
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
//
// A time that never came, such as that of a recovery, is the figure -1. It is
// equal to -1, and neither below nor above nor near anything. Of a list of
// counts the items beyond its end are 0; of a list of transitions they have
// never come.
//
// Expectations are made for virtual time. In real time each of them has 15 %
// room: a figure may miss the value, or pass a bound, by so much. Zero has none.
type Expected struct {
	Text string // as it is written

	left      figure
	operator  string
	right     figure
	value     float64
	tolerance float64
	room      float64 // the share of the value by which a figure may miss
}

// realRoom is for what a machine in real time does beside playing.
const realRoom = 0.15

// inRealTime returns the expectation with room, where it has less.
func (e Expected) inRealTime() Expected {
	if e.operator == "!=" || e.operator == "~" && e.tolerance >= realRoom {
		return e
	}
	e.room = realRoom
	e.Text += fmt.Sprintf(", with %.0f %% room", 100*realRoom)
	return e
}

var (
	operatorForm  = regexp.MustCompile(`==|!=|<=|>=|<|>|~`)
	toleranceForm = regexp.MustCompile(`^(.*\S)\s+within\s+(\S+)\s*%$`)
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

// ParseExpected reads one expectation. The names of variants may have operators
// in them: the first that has a figure before it and a value after it is the one.
func ParseExpected(text string) (Expected, error) {
	text = strings.TrimSpace(text)
	first := fmt.Errorf("%q is not an expectation", text)
	for i, at := range operatorForm.FindAllStringIndex(text, -1) {
		left, err := parseFigure(text[:at[0]])
		if err != nil {
			continue
		}
		e := Expected{Text: text, left: left, operator: text[at[0]:at[1]], tolerance: 0.1}
		if err = e.parseValue(strings.TrimSpace(text[at[1]:])); err == nil {
			return e, nil
		}
		if i == 0 {
			first = err
		}
	}
	return Expected{}, first
}

// parseValue reads what stands behind the operator.
func (e *Expected) parseValue(text string) error {
	if text == "" {
		return fmt.Errorf("%q is not an expectation", e.Text)
	}
	if parts := toleranceForm.FindStringSubmatch(text); parts != nil {
		if e.operator != "~" {
			return errors.New(`a tolerance goes with the operator ~ only`)
		}
		percent, err := strconv.ParseFloat(parts[2], 64)
		if err != nil || !(percent >= 0 && percent <= 100) {
			return fmt.Errorf("%q is not a percentage", parts[2])
		}
		text, e.tolerance = parts[1], percent/100
	}
	var err error
	if e.value, err = strconv.ParseFloat(text, 64); err == nil {
		if math.IsNaN(e.value) || math.IsInf(e.value, 0) {
			return fmt.Errorf("%q is no number that a figure can be compared with", text)
		}
		return nil
	}
	if e.right, err = parseFigure(text); err == nil && e.right.of == "" && strings.Contains(e.right.path, "..") {
		err = fmt.Errorf("%q is many numbers; write mean, sum, min or max before it", e.right.path)
	}
	return err
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
		for _, p := range v.Published {
			if _, err := empty.Figure(v.Name, p.Key); err != nil {
				faults = append(faults, p.At.Fault("", "published: "+err.Error()))
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

// check adds the expectations to the result. Those that name a variant which
// was not played to its end are left out.
func (r *Result) check(expected []Expected, complete []VariantResult) {
	r.Expectations = []Expectation{}
	played := func(variant string) bool {
		return slices.ContainsFunc(complete, func(v VariantResult) bool { return v.Name == variant })
	}
	for _, e := range expected {
		if played(e.left.variant) && (e.right == (figure{}) || played(e.right.variant)) {
			r.Expectations = append(r.Expectations, e.check(r))
		}
	}
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
	if err != nil {
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
	room := e.room * math.Abs(want)
	switch e.operator {
	case "==":
		return math.Abs(x-want) <= room
	case "!=":
		return x != want
	}
	if x == never {
		return false
	}
	switch e.operator {
	case "<":
		return x < want+room
	case "<=":
		return x <= want+room
	case ">":
		return x > want-room
	case ">=":
		return x >= want-room
	}
	return math.Abs(x-want) <= max(room, e.tolerance*math.Abs(want))
}
