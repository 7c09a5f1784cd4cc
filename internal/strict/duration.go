package strict

import (
	"reflect"
	"strings"
	"time"
)

func (d *Decoder) duration(n *Node, v reflect.Value) {
	const want = "must be a duration, such as 250ms or 3s, is "
	if n.Kind != Scalar {
		d.Fault(want+n.is(), "")
		return
	}
	parsed, err := time.ParseDuration(n.Value)
	if err == nil {
		v.SetInt(int64(parsed))
		return
	}
	units, ok := unitsOf(n.Value)
	if !ok {
		d.Fault(want+n.is(), "")
		return
	}
	for _, unit := range units {
		switch unit {
		case "h", "m", "s", "ms", "us", "µs", "μs", "ns":
		case "":
			d.Fault("needs a unit, is "+cut(n.Value), "e.g. "+cut(n.Value)+"s or "+cut(n.Value)+"ms")
			return
		default:
			d.Fault("has the unknown unit "+short(unit)+", is "+cut(n.Value), suggest(unit, []string{"h", "m", "s", "ms", "us", "ns"}, "units are"))
			return
		}
	}
	d.Fault("must be less than 292 years, is "+cut(n.Value), "") // what an int64 of nanoseconds holds
}

// unitsOf returns the unit of each number in a text such as 1h30m; ok is false
// when it is no sequence of numbers and units.
func unitsOf(s string) (units []string, ok bool) {
	s = strings.TrimLeft(s, "+-")
	for s != "" {
		unit := strings.TrimLeft(s, "0123456789.")
		if unit == s {
			return nil, false
		}
		end := strings.IndexAny(unit, "0123456789.")
		if end < 0 {
			end = len(unit)
		}
		if strings.ContainsAny(unit[:end], " \t\n+-_,:/") {
			return nil, false
		}
		units, s = append(units, unit[:end]), unit[end:]
	}
	return units, units != nil
}

// Duration writes d as a file has it: without the units that are zero, 1h and not
// 1h0m0s.
func Duration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
