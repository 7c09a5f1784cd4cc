package policy

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/stanch-go/stanch/internal/strict"
)

// text is a single value as a policy file has it, and whether it is a text in
// JSON, where numbers and booleans are none.
func text(v reflect.Value) (text string, quote bool) {
	switch x := v.Interface().(type) {
	case time.Duration:
		return strict.Duration(x), true
	case strict.Size:
		return x.String(), true
	case StoreURL:
		v = reflect.ValueOf(x.String()) // nobody is shown a password
	}
	switch v.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(v.Bool()), false
	case reflect.Float64:
		return number(v.Float()), false
	case reflect.String:
		return strings.ReplaceAll(v.String(), "$", "$$"), true
	}
	return strconv.FormatInt(v.Int(), 10), false
}

// number writes out what people would.
func number(f float64) string {
	if abs := math.Abs(f); abs == 0 || abs >= 1e-6 && abs < 1e15 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
