package strict

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// scalar fills a single value.
func (d *Decoder) scalar(n *Node, v reflect.Value) {
	switch v.Type() {
	case durationType:
		d.duration(n, v)
		return
	case sizeType:
		d.size(n, v)
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		d.boolean(n, v)
	case reflect.String:
		d.text(n, v)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		d.integer(n, v)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		d.natural(n, v)
	case reflect.Float32, reflect.Float64:
		d.number(n, v)
	default:
		panic(fmt.Sprintf("strict: cannot decode into %v", v.Type()))
	}
}

func (d *Decoder) boolean(n *Node, v reflect.Value) {
	if n.Kind == Scalar && !n.Quoted && (n.Value == "true" || n.Value == "false") {
		v.SetBool(n.Value == "true")
		return
	}
	hint := ""
	if n.Kind == Scalar {
		switch strings.ToLower(n.Value) {
		case "true", "yes", "on", "y", "1":
			hint = "write true"
		case "false", "no", "off", "n", "0":
			hint = "write false"
		}
	}
	d.Fault("must be true or false, is "+n.is(), hint)
}

func (d *Decoder) text(n *Node, v reflect.Value) {
	enum, isEnum := reflect.TypeAssert[interface{ Values() []string }](v.Addr())
	if n.Kind != Scalar {
		what := "a text"
		if isEnum {
			what = "one of " + strings.Join(enum.Values(), ", ")
		}
		d.Fault("must be "+what+", is "+n.is(), "")
		return
	}
	if isEnum {
		values := enum.Values()
		if slices.Contains(values, n.Value) {
			v.SetString(n.Value)
			return
		}
		d.Fault("must be one of "+strings.Join(values, ", ")+", is "+n.is(), didYouMean(n.Value, values))
		return
	}
	v.SetString(n.Value)
}

func (d *Decoder) integer(n *Node, v reflect.Value) {
	if !d.whole(n) {
		return
	}
	i, err := strconv.ParseInt(n.Value, 10, v.Type().Bits())
	if err != nil {
		most := int64(1)<<(v.Type().Bits()-1) - 1
		d.Fault(fmt.Sprintf("must be between %d and %d, is %s", -most-1, most, cut(n.Value)), "")
		return
	}
	v.SetInt(i)
}

func (d *Decoder) natural(n *Node, v reflect.Value) {
	if !d.whole(n) {
		return
	}
	u, err := strconv.ParseUint(strings.TrimPrefix(n.Value, "+"), 10, v.Type().Bits())
	if err != nil {
		most := uint64(math.MaxUint64) >> (64 - v.Type().Bits())
		d.Fault(fmt.Sprintf("must be between 0 and %d, is %s", most, cut(n.Value)), "")
		return
	}
	v.SetUint(u)
}

// whole reports whether n is written as a whole number, and a fault when not.
func (d *Decoder) whole(n *Node) bool {
	digits := ""
	if n.Kind == Scalar && !n.Quoted {
		digits = strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(n.Value, "-"), "+"), "0123456789")
		if digits == "" && decimal(n.Value) {
			return !d.leadingZero(n)
		}
	}
	d.Fault("must be a whole number, is "+n.is(), numberHint(n))
	return false
}

// leadingZero refuses what YAML 1.1 read as octal.
func (d *Decoder) leadingZero(n *Node) bool {
	digits := strings.TrimLeft(n.Value, "+-")
	if len(digits) < 2 || digits[0] != '0' || digits[1] < '0' || digits[1] > '9' {
		return false
	}
	d.Fault("must not begin with 0, is "+cut(n.Value), "")
	return true
}

func (d *Decoder) number(n *Node, v reflect.Value) {
	plain, percent := strings.CutSuffix(n.Value, "%")
	if n.Kind != Scalar || n.Quoted && !percent || !decimal(plain) {
		d.Fault("must be a number, such as 0.3 or 30%, is "+n.is(), numberHint(n))
		return
	}
	if d.leadingZero(n) {
		return
	}
	f, err := strconv.ParseFloat(plain, v.Type().Bits())
	if err != nil {
		d.Fault("is too large, is "+cut(n.Value), "")
		return
	}
	if percent {
		f /= 100
	}
	v.SetFloat(f)
}

func numberHint(n *Node) string {
	if len(n.Value) > longestPlain {
		return ""
	}
	bare := strings.NewReplacer("_", "", ",", "").Replace(n.Value)
	switch {
	case n.Kind != Scalar || !decimal(bare):
		return ""
	case n.Quoted:
		return "remove the quotes"
	case bare != n.Value:
		return "write " + cut(bare)
	}
	return ""
}

// decimal reports whether s is a number in plain decimal, with an exponent or not.
// One longer than any float needs is none, so that a huge value costs nothing.
func decimal(s string) bool {
	if len(s) > longestPlain || strings.Trim(s, "0123456789+-.eE") != "" {
		return false // neither hexadecimal nor inf nor nan
	}
	_, err := strconv.ParseFloat(s, 64)
	if err == nil {
		return true
	}
	e, ok := err.(*strconv.NumError)
	return ok && e.Err == strconv.ErrRange
}

// cut shortens a number that somebody leant on the keyboard for.
func cut(number string) string {
	if len(number) > 40 {
		return number[:37] + "..."
	}
	return number
}
