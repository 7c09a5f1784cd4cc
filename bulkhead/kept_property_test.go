package bulkhead

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/stanch-go/stanch/internal/clock"
)

// The list of kept permits against a plain set of them.
func TestKeptIsASet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l kept
		l.due.Store(clock.Never)
		var all [6]keeper
		until := map[*keeper]int64{}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			k := &all[rapid.IntRange(0, len(all)-1).Draw(t, "which")]
			by := rapid.Int64Range(0, 5).Draw(t, "instant")
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0, 1:
				if _, listed := until[k]; !listed {
					k.Kept = Kept{holder: k, until: by}
					l.add(&k.Kept)
					until[k] = by
				}
			case 2:
				l.remove(&k.Kept)
				delete(until, k)
			case 3:
				asked, wanted := l.recall(by), false
				for i := range all {
					k := &all[i]
					u, listed := until[k]
					want := 0
					if listed && u <= by {
						want, wanted = 1, true
						delete(until, k)
					}
					if k.asked != want {
						t.Fatalf("permit %d was asked %d times, want %d", i, k.asked, want)
					}
					k.asked = 0
				}
				if asked != wanted {
					t.Fatalf("somebody was asked: %v, want %v", asked, wanted)
				}
			}
			least := int64(clock.Never)
			for _, u := range until {
				least = min(least, u)
			}
			if due := l.due.Load(); due > least || len(until) == 0 != (l.first == nil) {
				t.Fatalf("due at %d, want at most %d", due, least)
			}
		}
	})
}
