package main

import (
	"os"
	"runtime/debug"
)

// collectLess lets the heap grow to five times of what is in use before garbage
// is collected, instead of twice. A few MB are in use, nearly all else is garbage
// at the end of its request, and to look for it so often took a sixth of the
// processor's time. GOGC, where it is set, says otherwise; GOMEMLIMIT bounds the
// memory all the same.
func collectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}
