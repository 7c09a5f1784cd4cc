package breaker

import (
	"testing"
	"unsafe"
)

// TestOneLine finds what moves the fields that a good call writes out of their
// cache line, or into that of the word. Breakers of this size begin at a line.
func TestOneLine(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Log("laid out for 64 bits")
		return
	}
	const line = 64
	var b Breaker
	begin := unsafe.Offsetof(b.mu)
	end := unsafe.Offsetof(b.turn) + unsafe.Sizeof(b.turn)
	if begin%line != 0 || end > begin+line {
		t.Errorf("mu to turn are at %d to %d: not one line of %d", begin, end, line)
	}
	if size := unsafe.Sizeof(b); size <= 480 || size > 512 {
		t.Errorf("a breaker has %d bytes: not of the allocator's class 512, which begins at a line", size)
	}
}
