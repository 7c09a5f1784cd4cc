package fallback

import (
	"reflect"
	"testing"
)

func TestReached(t *testing.T) {
	type node struct {
		name string
		next *node
	}
	ring := &node{name: "abc"}
	ring.next = ring
	const nodeSize = 16 + 8
	shared := make([]byte, 10)
	long := &node{}
	for range 10_000 { // too long for a naive recursion to be a good idea
		long = &node{next: long}
	}
	for _, c := range []struct {
		name string
		v    any
		want int64
	}{
		{"number", 1, 0},
		{"string", "abc", 3},
		{"bytes by capacity", make([]byte, 3, 10), 10},
		{"strings", []string{"a", "bc"}, 2*16 + 3},
		{"array of strings", [2]string{"a", "bc"}, 3},
		{"nil", (*node)(nil), 0},
		{"ring", ring, nodeSize + 3},
		{"the same twice", []*node{ring, ring}, 2*8 + nodeSize + 3},
		{"the same bytes twice", [][]byte{shared, shared}, 2*24 + 10},
		{"long list", long, 10_001 * nodeSize},
		{"map", map[string]string{"a": "bc"}, 33 + 3},
		{"interface", []any{int64(1), nil}, 2*16 + 8},
		{"function", func() {}, 0},
	} {
		if got := reached(reflect.ValueOf(c.v)); got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.name, got, c.want)
		}
	}
	if small, large := footprint(1, "a"), footprint(1, string(make([]byte, 1001))); large-small != 1000 || small < 64 {
		t.Errorf("footprints %d and %d", small, large)
	}
}
