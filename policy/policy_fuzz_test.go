package policy

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Whatever a file and a variable have in them: reading ends soon and does not
// panic, every fault has its place, and a policy without faults is shown as one
// that means the same and can be built.
func FuzzParse(f *testing.F) {
	for _, kind := range []string{"faults", "good"} {
		files, _ := filepath.Glob(filepath.Join("testdata", kind, "*.yaml"))
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(text), "version: 1\nservice: {name: included}\n", "7")
		}
	}
	f.Add(string(Starter), "", "null")
	f.Add("version: 1\ninclude: [a, b]\nservice: {name: \"${X}$$\"}", "version: 1\ninclude: [a, c]", "x: y\n")
	f.Fuzz(func(t *testing.T, text, included, value string) {
		files := WithFiles(func(path string) ([]byte, error) {
			if len(path) > 200 {
				return nil, fs.ErrNotExist
			}
			return []byte(included), nil
		})
		begin := time.Now()
		p, err := Parse("f", []byte(text), files, WithEnv(func(name string) (string, bool) { return value, len(name)%2 == 1 }))
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("took %v", took)
		}
		if err != nil {
			for _, fault := range err.(Faults) {
				if fault.Text == "" || fault.File == "" || strings.Contains(fault.Error(), "\n") {
					t.Errorf("a fault without a place or a line: %+v", fault)
				}
			}
			return
		}
		sameShown(t, p, files)
		if err := p.Validate(); err != nil {
			t.Errorf("it was read, and is not valid: %v", err)
		}
		if err := p.Inbound.Config(p.Service.Deadline).Effective().Validate(); err != nil {
			t.Errorf("it was read, and what it takes in is not valid: %v", err)
		}
		s, err := p.Build(nil)
		if err != nil {
			t.Fatalf("it was read, and cannot be built: %v", err)
		}
		again, err := p.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		for name, d := range s.All() {
			if other, err := again.Dependency(name); err != nil || other != d {
				t.Errorf("%s does not live on: %v", name, err)
			}
		}
	})
}
