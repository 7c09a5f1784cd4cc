package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The policy is replaced in every way that there is, while requests come in: each
// time it is in force at once, and not one of them fails. What it does not change
// lives on.
func TestReloadUnderLoad(t *testing.T) {
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("answer")) }))
	dead := closed(t)
	policy := func(milliseconds int) string {
		return fmt.Sprintf("shop: {url: %q, timeout: {attempt: %dms}}\ndead: {url: \"http://%s\", breaker: {consecutive: 2, cooldown: 1h}}", url, milliseconds, dead)
	}
	s := guard(t, policy(10_000))
	refused := func() string {
		resp, err := http.Get(s.URL + "/dead/")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.Header.Get("Stanch-Refused")
	}
	for refused() != "breaker_open" {
	}

	l := ask(s.client(), 8, url+"/buy", "answer")
	time := 10_000
	next := func() []byte {
		time++
		return s.policy(policy(time))
	}
	for _, step := range []struct {
		how, says string
		do        func()
	}{
		{"renamed over the file", "shop: changed", func() { s.replace(next()) }},
		{"written into the file", "shop: changed", func() { s.overwrite(next()) }},
		{"a link to a link to it", "shop: changed", func() { s.link(next()) }},
		{"the inner link replaced", "shop: changed", func() { s.link(next()) }},
		{"and once more", "shop: changed", func() { s.link(next()) }},
		{"hangup", "policy in force", func() { s.signal(syscall.SIGHUP) }},
		{"another dependency", "more: new", func() { s.replace(s.policy(policy(time) + "\nmore: {url: \"http://127.0.0.1:1\"}")) }},
		{"and without it again", "more: gone", func() { s.replace(s.policy(policy(time))) }},
	} {
		l.more(t, 50)
		n := len(s.out.since(0))
		step.do()
		until(t, step.how+": in force", func() bool { return s.out.has(n, "policy in force", step.says) })
		l.more(t, 50)
		if s.out.has(n, "refused") {
			t.Errorf("%s: a half of it was read", step.how)
		}
		if got := refused(); got != "breaker_open" {
			t.Errorf("%s: the breaker of what is unchanged: %q", step.how, got)
		}
	}

	// A faulty policy changes nothing, and is told with its line.
	n := len(s.out.since(0))
	s.replace([]byte(strings.Replace(string(next()), "attempt: ", "attemt: ", 1)))
	until(t, "the fault is told", func() bool {
		return s.out.has(n, "policy refused", s.file+":4:51: ", "timeout.attemt: unknown key")
	})
	l.more(t, 50)
	if fault := s.state(t).Policy.Rejected; fault == nil || len(fault.Faults) != 1 || !strings.HasPrefix(fault.Faults[0], s.file+":4:51: ") {
		t.Errorf("status: %+v", fault)
	}
	if code, text := s.admin(t, "GET", "/readyz", ""); code != 200 {
		t.Errorf("ready: %d %s", code, text)
	}
	n = len(s.out.since(0))
	s.replace(next())
	until(t, "the mended policy is in force", func() bool { return s.out.has(n, "policy in force", "shop: changed") })
	l.more(t, 50)
	l.end(t)
	if fault := s.state(t).Policy.Rejected; fault != nil {
		t.Errorf("status: %+v, though that was mended", fault)
	}
}

// replace puts another file in the policy's place, as editors do.
func (s *sidecar) replace(text []byte) {
	next := filepath.Join(s.dir, ".next")
	must(os.WriteFile(next, text, 0o644))
	must(os.Rename(next, s.file))
}

// overwrite writes into the file itself.
func (s *sidecar) overwrite(text []byte) { must(os.WriteFile(s.file, text, 0o644)) }

// link puts the policy into a new directory, and the link through which the
// file is found leads there from now on, as Kubernetes does.
func (s *sidecar) link(text []byte) {
	version, err := os.MkdirTemp(s.dir, "..")
	must(err)
	must(os.WriteFile(filepath.Join(version, "policy.yaml"), text, 0o644))
	next := filepath.Join(s.dir, ".next")
	must(os.Symlink(filepath.Base(version), next))
	must(os.Rename(next, filepath.Join(s.dir, "..data")))
	if found, err := os.Readlink(s.file); err == nil && found == "..data/policy.yaml" {
		return
	}
	must(os.Symlink("..data/policy.yaml", next))
	must(os.Rename(next, s.file))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
