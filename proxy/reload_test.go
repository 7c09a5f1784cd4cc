package proxy_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stanch-go/stanch/policy"
)

// watched starts a proxy that follows a file.
func watched(t *testing.T, path string, signals chan os.Signal) *sidecar {
	t.Helper()
	p, err := policy.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, "dependencies: {}")
	if _, err := s.Swap(p); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Watch(ctx, func() (*policy.Policy, error) { return policy.Load(path) }, signals)
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	return s
}

func text(name string) string {
	return fmt.Sprintf("version: 1\nlisten: {egress: \"127.0.0.1:0\"}\ndependencies: {%s: {url: \"http://127.0.0.1:1\"}}\n", name)
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The ways in which files change: written in place, replaced by another one, and
// as Kubernetes does it, by moving a link to their directory.
func TestFollowsChanges(t *testing.T) {
	dir := t.TempDir()
	mount := func(version string) string { return filepath.Join(dir, version) }
	for _, v := range []string{"v1", "v2"} {
		os.Mkdir(mount(v), 0o700)
		write(t, filepath.Join(mount(v), "p.yaml"), text(v))
	}
	if err := os.Symlink("v1", filepath.Join(dir, "..data")); err != nil {
		t.Fatal(err)
	}
	os.Symlink(filepath.Join("..data", "p.yaml"), filepath.Join(dir, "p.yaml"))
	path := filepath.Join(dir, "p.yaml")
	s := watched(t, path, nil)
	has := func(name string) func() bool { return func() bool { return s.Dependency(name) != nil } }

	if !has("v1")() {
		t.Fatal("not even the first")
	}
	os.Symlink("v2", filepath.Join(dir, "..tmp"))
	if err := os.Rename(filepath.Join(dir, "..tmp"), filepath.Join(dir, "..data")); err != nil {
		t.Fatal(err)
	}
	until(t, "the link has moved", has("v2"))

	write(t, filepath.Join(mount("v2"), "p.yaml"), text("v3"))
	until(t, "it was written in place", has("v3"))

	write(t, filepath.Join(dir, "new"), text("v4"))
	os.Rename(filepath.Join(dir, "new"), path)
	until(t, "it was replaced", has("v4"))

	write(t, path, "version: 1\nnonsense: 1\n")
	until(t, "it is refused", func() bool { return s.Status().Policy.Fault != "" })
	if !has("v4")() {
		t.Error("a faulty policy changed something")
	}
	os.Remove(path)
	until(t, "it is gone", func() bool { return strings.Contains(s.Status().Policy.Fault, "no such file") })
	if !has("v4")() {
		t.Error("a file that is gone changed something")
	}
	write(t, path, text("v5"))
	until(t, "it is good again", has("v5"))
	if f := s.Status().Policy.Fault; f != "" {
		t.Errorf("fault %q", f)
	}
}

func TestIncludedFilesAreFollowed(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "base.yaml"), text("one"))
	write(t, filepath.Join(dir, "p.yaml"), "version: 1\ninclude: [base.yaml]\n")
	s := watched(t, filepath.Join(dir, "p.yaml"), nil)
	write(t, filepath.Join(dir, "base.yaml"), text("two"))
	until(t, "it was read", func() bool { return s.Dependency("two") != nil && s.Dependency("one") == nil })
}

// A signal reads again what did not change, for certificates may have.
func TestHangup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.yaml")
	write(t, path, text("one"))
	signals := make(chan os.Signal)
	s := watched(t, path, signals)
	before := len(s.Events().Since(0))
	signals <- syscall.SIGHUP
	until(t, "it was read", func() bool { return len(s.Events().Since(0)) == before+1 })
}
