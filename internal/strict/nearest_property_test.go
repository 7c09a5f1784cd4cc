package strict

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// naive is the definition of the optimal string alignment distance.
func naive(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	change := 1
	if a[0] == b[0] {
		change = 0
	}
	d := min(naive(a[1:], b)+1, naive(a, b[1:])+1, naive(a[1:], b[1:])+change)
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		d = min(d, naive(a[2:], b[2:])+1)
	}
	return d
}

func TestDistanceIsTheDefinition(t *testing.T) {
	word := rapid.SliceOfN(rapid.RuneFrom([]rune("abc")), 0, 6)
	rapid.Check(t, func(t *rapid.T) {
		a, b, limit := word.Draw(t, "a"), word.Draw(t, "b"), rapid.IntRange(0, 4).Draw(t, "limit")
		got, want := distance(a, b, limit), naive(a, b)
		if (got <= limit || want <= limit) && got != want {
			t.Fatalf("%q %q within %d: %d, want %d", string(a), string(b), limit, got, want)
		}
		if back := distance(b, a, limit); min(back, limit+1) != min(got, limit+1) {
			t.Fatalf("%q %q: %d one way, %d the other", string(a), string(b), got, back)
		}
	})
}

func TestOneSlipIsForgiven(t *testing.T) {
	keys := []string{"attempt", "max_queue", "cooldown", "dependencies", "share"}
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SampledFrom(keys).Draw(t, "key")
		slip := []rune(key)
		i := rapid.IntRange(0, len(slip)-2).Draw(t, "at")
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			slip = slices.Delete(slip, i, i+1)
		case 1:
			slip = slices.Insert(slip, i, 'x')
		case 2:
			slip[i] = 'x'
		case 3:
			slip[i], slip[i+1] = slip[i+1], slip[i]
		}
		if got, _ := nearest(string(slip), keys); got != key {
			t.Fatalf("%s: %q, want %s", string(slip), got, key)
		}
	})
}

func TestNearestKnowsWhenNothingIsNear(t *testing.T) {
	for _, word := range []string{"", "x", "colour", "s", "latency", "depenxxxxies"} {
		if got, ok := nearest(word, []string{"attempt", "max_queue", "m", "h", "on", "dependencies"}); ok {
			t.Errorf("%q: %q", word, got)
		}
	}
	for word, want := range map[string]string{"maxQueue": "max_queue", "MAX-QUEUE": "max_queue", "atempt": "attempt", "M": "m"} {
		if got, _ := nearest(word, []string{"attempt", "max_queue", "m"}); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

func TestPathsReadBackAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path, want := "", []step(nil)
		for range rapid.IntRange(1, 5).Draw(t, "steps") {
			if i := rapid.IntRange(-3, 3).Draw(t, "index"); i >= 0 {
				path, want = joinIndex(path, i), append(want, step{index: i})
				continue
			}
			key := rapid.OneOf(rapid.StringMatching(`[a-z_]{1,8}`), rapid.StringN(1, 12, -1)).Draw(t, "key")
			path, want = joinKey(path, key), append(want, step{key: key})
		}
		got, ok := parsePath(path)
		if !ok || !slices.Equal(got, want) {
			t.Fatalf("%s: %v, want %v", path, got, want)
		}
	})
}
