package fallback

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// Whatever the alternatives do, the first that can answers, every one before it
// is reported in order, none after it runs, and every place is given back.
func TestPropertyFirstAnswerWins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const most = 2
		g, err := NewGate(Limits{Concurrent: most}, nil)
		if err != nil {
			t.Fatal(err)
		}
		ends := rapid.SliceOfN(rapid.SampledFrom([]string{"answers", "fails", "full", "panics"}), 1, 6).Draw(t, "ends")
		var alternatives []Alternative[int]
		var ran []int
		want, panics := -1, false // who answers
		for i, end := range ends {
			name := fmt.Sprint("a", i)
			if end == "full" {
				g.place(name).inUse.Store(most)
			}
			alternatives = append(alternatives, Or(name, func(context.Context) (int, error) {
				ran = append(ran, i)
				switch end {
				case "panics":
					panic(end)
				case "fails":
					return 0, errDown
				}
				return i, nil
			}))
			if want < 0 && !panics {
				switch end {
				case "answers":
					want = i
				case "panics":
					panics = true
				}
			}
		}

		var answer Answer[int]
		panicked := true
		func() {
			defer func() { recover() }()
			answer, err = Try(context.Background(), g, errDown, alternatives...)
			panicked = false
		}()

		if panicked != panics {
			t.Fatalf("panicked = %v, want %v", panicked, panics)
		}
		skipped := answer.Skipped
		switch {
		case panics:
		case want < 0:
			none, ok := errors.AsType[*NoAnswer](err)
			if !ok || len(none.Skipped) != len(ends) {
				t.Fatalf("error = %v, want every alternative in it", err)
			}
			skipped = none.Skipped
		case err != nil || answer.Value != want || len(skipped) != want:
			t.Fatalf("answer = %+v, %v, want %d", answer, err, want)
		}
		for i, s := range skipped {
			if full := s.Err == ErrFull; s.Name != alternatives[i].Name() || full != (ends[i] == "full") {
				t.Fatalf("skipped[%d] = %v after %q", i, s, ends[i])
			}
		}
		if want >= 0 && ran[len(ran)-1] != want {
			t.Fatalf("%v ran, want none after %d", ran, want)
		}
		for i, end := range ends {
			held := int64(0)
			if end == "full" {
				held = most
			}
			if n := g.place(fmt.Sprint("a", i)).inUse.Load(); n != held {
				t.Fatalf("alternative %d holds %d places, want %d", i, n, held)
			}
		}
	})
}
