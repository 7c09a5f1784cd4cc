package diff

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stanch-go/stanch/lint"
	"github.com/stanch-go/stanch/policy"
)

// FuzzCompare: any two policies that can be read can be compared, the first line
// says something, and a policy is no change of itself.
func FuzzCompare(f *testing.F) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds: ", err)
	}
	var texts [][]byte
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		texts = append(texts, text)
	}
	for i := range texts {
		f.Add(texts[i], texts[(i+1)%len(texts)])
	}
	f.Fuzz(func(t *testing.T, old, new []byte) {
		a, okA := read(old)
		b, okB := read(new)
		if !okA || !okB {
			return
		}
		if d := Compare(a, a); len(d.Settings)+len(d.Dependencies)+len(d.Broken)+len(d.Mended) != 0 {
			t.Errorf("nothing changes, but %+v", d)
		}
		d := Compare(a, b)
		var text, markdown bytes.Buffer
		if d.Text(&text) != nil || d.Markdown(&markdown) != nil {
			t.Error("it cannot be written")
		}
		if first, _, _ := strings.Cut(text.String(), "\n"); first == "" || strings.Contains(text.String(), "%!") {
			t.Errorf("the text is %q", text.String())
		}
	})
}

func read(text []byte) (*lint.Report, bool) {
	p, err := policy.Parse("p", text,
		policy.WithEnv(func(string) (string, bool) { return "", false }),
		policy.WithFiles(func(string) ([]byte, error) { return nil, os.ErrNotExist }))
	if err != nil {
		return nil, false
	}
	return lint.Check(p), true
}
