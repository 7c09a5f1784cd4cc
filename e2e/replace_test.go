package e2e

import (
	"os"
	"path/filepath"
)

// replace puts another file in the policy's place, as editors do.
func (s *sidecar) replace(text []byte) {
	next := filepath.Join(s.dir, ".next")
	if err := os.WriteFile(next, text, 0o644); err != nil {
		panic(err)
	}
	if err := os.Rename(next, s.file); err != nil {
		panic(err)
	}
}
