package strict

import (
	"slices"
	"strings"
)

// nearest returns the candidate that was most likely meant by word. Case and
// the signs between words do not count; beyond that, one slip is forgiven in
// three characters, up to three slips.
func nearest(word string, candidates []string) (string, bool) {
	if len(word) > longestPlain {
		return "", false
	}
	best, least := "", -1
	w := letters(word)
	for _, candidate := range candidates {
		c := letters(candidate)
		limit := min(3, max(len(w), len(c))/3)
		if d := distance(w, c, limit); d <= limit && (least < 0 || d < least) {
			best, least = candidate, d
		}
	}
	return best, least >= 0
}

func letters(s string) []rune {
	return []rune(strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(s)))
}

// distance is the number of characters to insert, delete, replace or swap with
// their neighbour to turn a into b: the optimal string alignment distance. Once
// it exceeds the limit, any number beyond the limit may be returned.
func distance(a, b []rune, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		if slices.Min(row) > limit+1 {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// didYouMean returns a hint, empty when no candidate is near.
func didYouMean(word string, candidates []string) string {
	if near, ok := nearest(word, candidates); ok {
		return `did you mean "` + near + `"?`
	}
	return ""
}

// suggest returns a hint: the nearest candidate, or else all of them.
func suggest(word string, candidates []string, all string) string {
	if hint := didYouMean(word, candidates); hint != "" || len(candidates) == 0 {
		return hint
	}
	return all + " " + strings.Join(candidates, ", ")
}
