package shed

import (
	"slices"
	"testing"
)

// FuzzQueue compares the queue with a plain list.
func FuzzQueue(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 200, 8, 9, 13, 255, 16, 16, 5})
	f.Fuzz(func(t *testing.T, data []byte) {
		var q queue
		var list []*waiter
		lifo := 0
		for i, b := range data {
			switch b % 8 {
			case 0, 1, 2, 3: // one comes
				w := &waiter{priority: Priority(b%8) - 2, since: int64(i)}
				q.push(w)
				list = append(list, w)
			case 4: // one is served
				if w := naiveNext(list, lifo); w != nil {
					if got := q.next(lifo); got != w {
						t.Fatalf("step %d: next is of %d, want %d", i, got.since, w.since)
					}
					q.remove(w)
					list = slices.DeleteFunc(list, func(o *waiter) bool { return o == w })
				}
			case 5: // one leaves
				if len(list) > 0 {
					k := int(b) / 8 % len(list)
					q.remove(list[k])
					list = slices.Delete(list, k, k+1)
				}
			case 6:
				lifo = int(b) / 8 % (priorities + 1)
			case 7:
				before := int64(b) / 8 * 4
				got := q.stale(before)
				stale := slices.ContainsFunc(list, func(w *waiter) bool { return w.since < before })
				if stale != (got != nil) || got != nil && (got.since >= before || !slices.Contains(list, got)) {
					t.Fatalf("step %d: stale before %d is %+v", i, before, got)
				}
			}
			if q.n != len(list) {
				t.Fatalf("step %d: %d waiting, want %d", i, q.n, len(list))
			}
			for p := Sheddable; p <= CriticalPlus; p++ {
				if got, want := q.after(p, lifo), naiveAfter(list, p, lifo); got != want {
					t.Fatalf("step %d: after %v comes %+v, want %+v", i, p, got, want)
				}
			}
		}
	})
}

// sooner says that a is served before b, which came later.
func sooner(a, b *waiter, lifo int) bool {
	if a.priority != b.priority {
		return a.priority > b.priority
	}
	return a.priority.index() >= lifo
}

func naiveNext(list []*waiter, lifo int) (first *waiter) {
	for _, w := range list {
		if first == nil || !sooner(first, w, lifo) {
			first = w
		}
	}
	return first
}

func naiveAfter(list []*waiter, p Priority, lifo int) (last *waiter) {
	for _, w := range list {
		if last == nil || sooner(last, w, lifo) {
			last = w
		}
	}
	if last != nil && sooner(last, &waiter{priority: p}, lifo) {
		return nil
	}
	return last
}

// FuzzLowest compares the walk over the ranks with trying each of them.
func FuzzLowest(f *testing.F) {
	f.Add([]byte{1, 0, 200, 3, 0, 9, 1, 1, 1}, uint16(20))
	f.Fuzz(func(t *testing.T, data []byte, target uint16) {
		th := threshold{target: float64(target)}
		for i, b := range data {
			th.arrivals[(i*37)%ranks] += float64(b)
		}
		passing := func(lowest int) (sum float64) {
			for _, n := range th.arrivals[lowest:] {
				sum += n
			}
			return sum
		}
		got := th.lowest()
		best := ranks - 1
		for r := ranks - 2; r >= 0; r-- { // the lowest of those with at most half a rank too much
			if passing(r)-th.arrivals[r]/2 > th.target {
				break
			}
			best = r
		}
		if got != best {
			t.Fatalf("lowest %d, want %d", got, best)
		}
	})
}

// FuzzParsePriority reads anything, and its own names back.
func FuzzParsePriority(f *testing.F) {
	f.Add(" Sheddable_PLUS")
	f.Fuzz(func(t *testing.T, s string) {
		p, ok := ParsePriority(s)
		if again, _ := ParsePriority(p.String()); again != p || !ok && p != Critical {
			t.Fatalf("%q: %v %v", s, p, ok)
		}
	})
}
