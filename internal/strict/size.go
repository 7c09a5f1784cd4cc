package strict

import (
	"math/big"
	"reflect"
	"strconv"
	"strings"
)

// Size is a number of bytes. A file gives it with a unit: B; KB, MB, GB and TB
// for powers of 1000 (kB as well); KiB, MiB, GiB and TiB for powers of 1024.
type Size int64

var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"TiB", 1 << 40}, {"TB", 1e12},
	{"GiB", 1 << 30}, {"GB", 1e9},
	{"MiB", 1 << 20}, {"MB", 1e6},
	{"KiB", 1 << 10}, {"KB", 1e3}, {"kB", 1e3},
	{"B", 1},
}

var sizeNames = []string{"B", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"}

// String returns the size in the largest unit that gives a whole number.
func (s Size) String() string {
	if s != 0 {
		for _, unit := range sizeUnits {
			if int64(s)%unit.bytes == 0 {
				return strconv.FormatInt(int64(s)/unit.bytes, 10) + unit.name
			}
		}
	}
	return "0B"
}

func (d *Decoder) size(n *Node, v reflect.Value) {
	const want = "must be a size, such as 64KiB or 1MB, is "
	if n.Kind != Scalar {
		d.Fault(want+n.is(), "")
		return
	}
	unit := strings.TrimLeft(n.Value, "+-0123456789.")
	number := strings.TrimSuffix(n.Value, unit)
	unit = strings.TrimLeft(unit, " ")
	if !decimal(number) {
		d.Fault(want+n.is(), "")
		return
	}
	if unit == "" && strings.Trim(number, "+-0.") != "" {
		d.Fault("needs a unit, is "+cut(number), "e.g. "+cut(number)+"B or "+cut(number)+"KiB")
		return
	}
	bytes, ok := sizeUnit(unit)
	if !ok {
		d.Fault("has the unknown unit "+short(unit)+", is "+short(n.Value), suggest(unit, sizeNames, "units are"))
		return
	}
	product, ok := new(big.Rat).SetString(number) // exact, unlike a float, for every int64
	if ok = ok && len(number) <= 30; ok {
		product.Mul(product, new(big.Rat).SetInt64(bytes))
		ok = product.Num().BitLen() < 64 || !product.IsInt()
	}
	switch {
	case !ok:
		d.Fault("is too large, is "+cut(n.Value), "")
	case !product.IsInt():
		d.Fault("must be a whole number of bytes, is "+cut(n.Value), "")
	default:
		v.SetInt(product.Num().Int64())
	}
}

// sizeUnit returns the bytes in a unit; a 0 may go without.
func sizeUnit(name string) (bytes int64, ok bool) {
	if name == "" {
		return 1, true
	}
	for _, unit := range sizeUnits {
		if unit.name == name {
			return unit.bytes, true
		}
	}
	return 0, false
}
