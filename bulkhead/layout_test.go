package bulkhead

import (
	"testing"
	"unsafe"
)

// TestOneLine finds what moves the fields that an acquire reads into another
// cache line than that of the word, or lets a neighbour in memory share it.
func TestOneLine(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Log("laid out for 64 bits")
		return
	}
	const line = 64
	var b Bulkhead
	if end := unsafe.Offsetof(b.peak) + unsafe.Sizeof(b.peak); unsafe.Offsetof(b.word) != 0 || end > line {
		t.Errorf("word to peak are at %d to %d: not the first line of %d", unsafe.Offsetof(b.word), end, line)
	}
	if at := unsafe.Offsetof(b.abandoned); at < line {
		t.Errorf("abandoned is at %d: a release of another core would take its line away", at)
	}
	if size := unsafe.Sizeof(b); size <= 240 || size > 256 {
		t.Errorf("a bulkhead has %d bytes: not of the allocator's class 256, which begins at a line", size)
	}
}
