package redisquota

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/stanch-go/stanch/quota"
)

// arguments are the keys and the arguments of the script.
func (s *Store) arguments(t *quota.Take) (keys []string, args []any) {
	keys = []string{s.prefix + "bucket:" + tag(t.Key)}
	if t.ID != "" {
		keys = append(keys, s.prefix+"seen:"+tag(t.Key)+t.ID)
	}
	return keys, []any{
		number(t.Limit.Burst),
		number(t.Limit.Rate / (float64(t.Limit.Window) / 1e3)),
		number(t.Return), number(t.Need), number(max(t.Want, t.Need)),
		number(float64(t.Period) / 1e3),
		max(t.Remember.Milliseconds(), 1),
	}
}

// tag is the part of a name by which a cluster chooses the slot: what is between
// the first braces, and not empty. The length keeps a key with braces in it from
// being taken for another key and its ID.
func tag(key string) string { return "{" + strconv.Itoa(len(key)) + ":" + key + "}" }

// number writes what is not negative; what is no number is nothing.
func number(x float64) string {
	if !(x >= 0) {
		x = 0
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// parse reads the answer: granted, remaining, and two times in microseconds.
func parse(text string, t *quota.Take) (quota.Grant, error) {
	var x [4]float64
	if n, err := fmt.Sscan(text, &x[0], &x[1], &x[2], &x[3]); err != nil {
		return quota.Grant{}, fmt.Errorf("the answer %q has %d numbers: %w", text, n, err)
	}
	g := quota.Grant{Granted: x[0], Remaining: x[1], RetryAfter: micros(x[2]), ResetAfter: micros(x[3])}
	if t.Need > t.Limit.Burst {
		g.RetryAfter = quota.Never
	}
	return g, nil
}

func micros(x float64) time.Duration {
	switch ns := math.Ceil(x) * 1e3; {
	case !(ns > 0):
		return 0
	case ns >= math.MaxInt64:
		return quota.Never
	default:
		return time.Duration(ns)
	}
}
