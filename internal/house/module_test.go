package house

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const modulePath = "github.com/stanch-go/stanch"

// A pkg is what go list tells of a package.
type pkg struct {
	ImportPath   string
	Dir          string
	Name         string
	GoFiles      []string
	TestGoFiles  []string
	XTestGoFiles []string
	Imports      []string
	Deps         []string
}

// unit is the part of the house that the package belongs to: the start of its
// path inside the module that is on a layer, "" for the root. Most units are top
// directories; internal/demo, for one, is not among the internal ones.
func (p pkg) unit() string { return unitOf(p.ImportPath) }

func unitOf(path string) string {
	unit := strings.TrimPrefix(strings.TrimPrefix(path, modulePath), "/")
	for layerOf(unit) < 0 && strings.Contains(unit, "/") {
		unit = unit[:strings.LastIndex(unit, "/")]
	}
	return unit
}

// inside reports whether path is a package of this module.
func inside(path string) bool {
	return path == modulePath || strings.HasPrefix(path, modulePath+"/")
}

// standard reports whether path is a package of the standard library: those
// alone have no dot in their first element.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// root is the directory of the module.
var root = sync.OnceValue(func() string {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		panic(fmt.Sprint("go list -m: ", err))
	}
	return strings.TrimSpace(string(out))
})

var list = sync.OnceValues(func() ([]pkg, error) {
	c := exec.Command("go", "list", "-json=ImportPath,Dir,Name,GoFiles,TestGoFiles,XTestGoFiles,Imports,Deps", "./...")
	c.Dir = root()
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
})

// packages returns the packages of the module.
func packages(t *testing.T) []pkg {
	t.Helper()
	all, err := list()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// files returns the paths, relative to the root and with slashes, of the
// module's files whose names end like one of the suffixes. Test data is left
// out: it may be wrong on purpose.
func files(t *testing.T, suffixes ...string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(root(), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		for _, s := range suffixes {
			if strings.HasSuffix(path, s) {
				rel, err := filepath.Rel(root(), path)
				if err != nil {
					return err
				}
				found = append(found, filepath.ToSlash(rel))
				break
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatalf("no file ends with %v below %s: this rule sees nothing", suffixes, root())
	}
	return found
}

// read returns the text of a file below the root.
func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(), filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
