package policy

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/stanch-go/stanch/internal/strict"
)

// A Policy is a file that was read, with where everything in it came from.
type Policy struct {
	File

	// Path is the file, as it was named.
	Path string
	// Text is the text of the file itself, without what it includes.
	Text []byte
	// Files are all files that were read or looked for: the file itself, those
	// that it includes, and those of static answers. When one of them changes,
	// the policy may be another.
	Files []string
	// Hash tells policies apart: of all that was read and the variables of the
	// environment that it refers to. 12 hexadecimal digits.
	Hash string

	root      *strict.Node            // everything laid over each other
	variables map[*strict.Node]string // that the values in it come from
}

// Load reads the policy file at a path, and what it includes. The error, if any,
// is Faults: all of them, each with its place. Of a faulty policy only Path,
// Text, Files and Hash are set, for those who wait for it to be mended.
func Load(path string, options ...Option) (*Policy, error) {
	r := newReader(options)
	text, err := r.file(path)
	if err != nil {
		return &Policy{Path: path, Files: r.files, Hash: r.hash()}, Faults{{File: path, Text: unreadable(err)}}
	}
	return r.policy(path, text)
}

// Parse reads a policy from text; file is its name in faults, and what the paths
// in it are relative to. The error is as that of Load.
func Parse(file string, text []byte, options ...Option) (*Policy, error) {
	r := newReader(options)
	r.read(file, text)
	return r.policy(file, text)
}

func (r *reader) policy(path string, text []byte) (*Policy, error) {
	p := &Policy{Path: path, Text: text}
	root, include := r.tree(path, text)
	if root != nil && !r.broken {
		r.faults = append(r.faults, p.decode(r, root)...)
	}
	p.Files, p.Hash = r.files, r.hash()
	if len(r.faults) > 0 {
		p.File = File{}
		return p, r.faults.Sorted()
	}
	p.Include, p.root, p.variables = include, root, r.variables
	return p, nil
}

// decode fills the file from the tree and returns the faults.
func (p *Policy) decode(r *reader, root *strict.Node) Faults {
	type plain File // without its Validate, which is not asked when any part is faulty
	faults := strict.Decode(root, (*plain)(&p.File))
	faults = append(faults, r.statics(&p.File, root)...)
	// The reader asks no part that has a fault somewhere in it for others.
	wrong := faults
	add := func(found problems, follows func(Faults, string) bool) {
		for _, b := range found {
			if f := root.Fault(b.path, b.text); !follows(wrong, f.Path) {
				faults = append(faults, f)
			}
		}
	}
	add(p.parts(), besides)
	add(p.between(), concerns)
	return r.explain(faults)
}

// concerns reports whether any of the faults is at, above or below a path: what
// is said of it may then follow from them.
func concerns(faults Faults, path string) bool {
	return slices.ContainsFunc(faults, func(f Fault) bool { return within(f.Path, path) || within(path, f.Path) })
}

// besides is concerns, for what may follow from the keys beside a path as well:
// those of the same section, or of the section around it.
func besides(faults Faults, path string) bool {
	return slices.ContainsFunc(faults, func(f Fault) bool {
		around := f.Path
		if end := strings.LastIndexAny(around, ".["); strings.Count(around, ".") > 1 {
			around = around[:end]
		}
		return within(f.Path, path) || within(path, around)
	})
}

// within reports whether a path is another or below it.
func within(path, top string) bool {
	rest, ok := strings.CutPrefix(path, top)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// statics reads the files of static answers.
func (r *reader) statics(f *File, root *strict.Node) (faults Faults) {
	for i := range f.Dependencies {
		name, static := f.Dependencies[i].Key, f.Dependencies[i].Value.Fallback.Static
		if static == nil || static.File == "" {
			continue
		}
		at := entry("dependencies", name) + ".fallback.static.file"
		if !printablePath(static.File) {
			faults = append(faults, root.Fault(at, fmt.Sprintf("must be the path of a file, is %q", short(static.File))))
			continue
		}
		n := root.Get("dependencies").Get(name).Get("fallback").Get("static").Get("file")
		static.path = beside(n.File, static.File)
		content, err := r.file(static.path)
		if err != nil {
			faults = append(faults, root.Fault(at, unreadable(err)))
		}
		static.content = content
	}
	return faults
}

// beside returns a path that is relative to a file.
func beside(file, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(file), path)
}

// printablePath refuses what could steer a terminal or break a line of a log,
// where the names of files appear.
func printablePath(path string) bool {
	return !strings.ContainsFunc(path, func(r rune) bool { return !unicode.IsPrint(r) })
}

// short cuts what is too long for a message.
func short(text string) string {
	if len(text) <= 100 {
		return text
	}
	return strings.ToValidUTF8(text[:97], "") + "..."
}

// Fault returns a fault at the path of a key, such as
// dependencies.recommend.timeout, with its place in the file, or that of what is
// around it where the key is not given.
func (p *Policy) Fault(path, text, hint string) Fault {
	f := p.root.Fault(path, text)
	f.Hint = hint
	return f
}
