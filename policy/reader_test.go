package policy

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestEnvironment(t *testing.T) {
	for value, want := range map[string]string{
		`${SEVEN}`:            "7",
		`"${SEVEN}"`:          "7",
		`${SEVEN}0`:           "70",
		`a ${SEVEN} b`:        "a 7 b",
		`${UNSET:-3}`:         "3",
		`${EMPTY:-3}`:         "3",
		`${SEVEN:-3}`:         "7",
		`${EMPTY}`:            "",
		`${UNSET:-}`:          "",
		`"${UNSET:-a: b}"`:    "a: b",
		`$$`:                  "$",
		`"$${SEVEN}"`:         "${SEVEN}",
		`"$$$${SEVEN}$$"`:     "$${SEVEN}$",
		`"${REFERENCE}"`:      "${SEVEN}", // what a variable has is not looked at again
		`'${SEVEN} ${TIME}'`:  "7 2s",
		`"${NULL}"`:           "null",
		`"${INJECTED}"`:       "x\nversion: 2",
		"|-\n    ${SEVEN}\n":  "7",
		`"${UNSET:-50%:-x}"`:  "50%:-x",
		`"${UNSET:-in [] ()"`: "",
	} {
		p, err := Parse("p", []byte("version: 1\nservice:\n  name: "+value+"\n"), WithEnv(environment))
		if value == `"${UNSET:-in [] ()"` {
			if err == nil || !strings.Contains(err.Error(), "has a ${ without its }") {
				t.Errorf("%s: %v", value, err)
			}
			continue
		}
		if err != nil || p.Service.Name != want {
			t.Errorf("%s is %q (%v), want %q", value, p.Service.Name, err, want)
		}
	}
}

// A value is typed as if it were written in the place of the variable.
func TestEnvironmentIsTyped(t *testing.T) {
	p := parse(t, `version: 1
service: {workers: "${SEVEN}", deadline: "${TIME}", rates: {requests: "${SEVEN}.5"}}
dependencies:
  a: {class: "${UNSET:-standard}", retry: "${UNSET:-off}", breaker: {dark: "${UNSET:-true}"}}
`)
	d, _ := p.Dependencies.Get("a")
	rate, _ := p.Service.Rates.Get("requests")
	if p.Service.Workers != 7 || p.Service.Deadline != 2*time.Second || rate != 7.5 || !d.Breaker.Dark || d.Retry.Attempts != 0 || d.Breaker.Window == 0 {
		t.Errorf("%+v", p.File)
	}
}

func TestIncludes(t *testing.T) {
	files := map[string]string{
		"dir/top.yaml": "version: 1\ninclude: [sub/a.yaml, sub/b.yaml]\nservice: {name: top}\ndependencies: {a: {retry: null}}\n",
		"dir/sub/a.yaml": `version: 1
include: [../common.yaml]
service: {name: a, workers: 1}
dependencies: {a: {class: optional_read, retry: {attempts: 5}, timeout: {attempt: 10ms}}}
`,
		"dir/sub/b.yaml":    "version: 1\ninclude: [../common.yaml]\nservice: {workers: 2}\ndependencies: {a: {timeout: {attempt: 20ms}}}\n",
		"dir/common.yaml":   "version: 1\nservice: {name: common, workers: 3, deadline: 3s}\n",
		"dir/other.yaml":    "version: 1\nservice: {name: other}\n",
		"dir/links.yaml":    "version: 1\ninclude: [self/links.yaml]\n",
		"dir/circle.yaml":   "version: 1\ninclude: [sub/back.yaml]\n",
		"dir/sub/back.yaml": "version: 1\ninclude: [../circle.yaml]\n",
	}
	reads := 0
	read := WithFiles(func(path string) ([]byte, error) {
		reads++
		path = strings.ReplaceAll(filepath.ToSlash(path), "self/", "") // a link to its own directory
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	})
	p, err := Load("dir/top.yaml", read)
	if err != nil {
		t.Fatal(err)
	}
	d, _ := p.Dependencies.Get("a")
	if s := p.Service; s.Name != "top" || s.Workers != 2 || s.Deadline != 3*time.Second || d.Timeout.Attempt != 20*time.Millisecond || d.Retry.Attempts != 2 {
		t.Errorf("%+v\n%+v", p.Service, d)
	}
	want := []string{"dir/top.yaml", "dir/sub/a.yaml", "dir/common.yaml", "dir/sub/b.yaml"}
	if !slices.Equal(p.Files, want) || reads != len(want) || !slices.Equal(p.Include, []string{"sub/a.yaml", "sub/b.yaml"}) {
		t.Errorf("%d reads, files %v, includes %v", reads, p.Files, p.Include)
	}
	if f := p.Fault("service.workers", "", ""); f.File != "dir/sub/b.yaml" || f.Line != 3 {
		t.Errorf("workers are placed at %+v", f)
	}

	for file, want := range map[string]string{
		"dir/none.yaml":   "dir/none.yaml: cannot be read: file does not exist",
		"dir/circle.yaml": "dir/sub/back.yaml:2:11: include[0]: includes in a circle: dir/circle.yaml, dir/sub/back.yaml, dir/circle.yaml",
	} {
		if _, err := Load(file, read); err == nil || err.Error() != filepath.FromSlash(want) {
			t.Errorf("%s: %v\nwant %s", file, err, want)
		}
	}
	p, err = Load("dir/links.yaml", read)
	if err == nil || !strings.Contains(err.Error(), "one file too many, 64 may be read") || len(p.Files) != 64 {
		t.Errorf("%d files: %v", len(p.Files), err)
	}
}

// The hash is another when anything that was read is.
func TestHash(t *testing.T) {
	const text = "version: 1\ninclude: [b]\nservice: {name: \"${X:-}\"}\n"
	hash := func(text, included, x string) string {
		p, err := Parse("a", []byte(text), WithEnv(func(string) (string, bool) { return x, true }),
			WithFiles(func(string) ([]byte, error) { return []byte(included), nil }))
		if err != nil {
			t.Fatal(err)
		}
		return p.Hash
	}
	first := hash(text, "version: 1\n", "x")
	if len(first) != 12 || first != hash(text, "version: 1\n", "x") {
		t.Errorf("the hash is %q", first)
	}
	for _, other := range []string{hash(text+"\n", "version: 1\n", "x"), hash(text, "version: 1\n\n", "x"), hash(text, "version: 1\n", "y")} {
		if other == first {
			t.Error("two policies have the same hash")
		}
	}
}
