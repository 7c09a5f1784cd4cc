package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A sidecar is "stanch run" with a policy.
type sidecar struct {
	*process
	dir, file string
	addr      string // of the egress listener
	URL       string
	socket    string // of the admin listener
	listen    string // what else is said of the listeners
}

// guard runs the sidecar with a policy whose dependencies are given as YAML, in
// one line or several.
func guard(t testing.TB, dependencies string, args ...string) *sidecar {
	t.Helper()
	s := place(t)
	s.write(dependencies)
	s.start(t, nil, args...)
	return s
}

// place makes the directory of a sidecar. Its name is short, as that of a socket
// must be.
func place(t testing.TB) *sidecar {
	t.Helper()
	dir, err := os.MkdirTemp("", "e2e")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return &sidecar{dir: dir, file: filepath.Join(dir, "policy.yaml"), socket: filepath.Join(dir, "admin")}
}

// policy makes a policy of dependencies.
func (s *sidecar) policy(dependencies string) []byte {
	return fmt.Appendf(nil, "version: 1\nlisten: {egress: \"127.0.0.1:0\", admin: \"unix:%s\", %s}\ndependencies:\n  %s\n",
		s.socket, s.listen, strings.ReplaceAll(dependencies, "\n", "\n  "))
}

// write writes the policy, in place.
func (s *sidecar) write(dependencies string) {
	if err := os.WriteFile(s.file, s.policy(dependencies), 0o644); err != nil {
		panic(err)
	}
}

// start runs the sidecar until the end of the test, when it has to end well.
func (s *sidecar) start(t testing.TB, env []string, args ...string) {
	t.Helper()
	s.begin(t, env, args...)
	t.Cleanup(func() {
		s.cmd.Process.Signal(syscall.SIGTERM) // an error if it has ended
		if code := s.wait(); code != 0 {
			t.Errorf("the sidecar ended with %d", code)
		}
		if s.out.has(0, "panic") || s.out.has(0, "DATA RACE") {
			t.Error("the sidecar panicked or raced")
		}
	})
}

// begin runs the sidecar and waits until it serves.
func (s *sidecar) begin(t testing.TB, env []string, args ...string) {
	t.Helper()
	s.process = run(t, append(env, "GORACE=halt_on_error=1 exitcode=66"), stanch, append([]string{"run", "--log-json", "-c", s.file}, args...)...)
	until(t, "the sidecar serves", func() bool {
		for _, line := range s.out.since(0) {
			var l struct{ Msg, Egress string }
			if json.Unmarshal([]byte(line), &l) == nil && l.Msg == "guarding" {
				s.addr = l.Egress
			}
		}
		select {
		case <-s.done:
			t.Fatalf("it ended with %d:\n%s", s.cmd.ProcessState.ExitCode(), s.out.String())
		default:
		}
		return s.addr != ""
	})
	s.URL = "http://" + s.addr
}

// client is one that has the sidecar as its proxy.
func (s *sidecar) client() *http.Client {
	u, err := url.Parse(s.URL)
	if err != nil {
		panic(err)
	}
	return &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(u), DisableCompression: true}, Timeout: bound}
}

// host returns the host and port of a URL.
func host(rawURL string) string {
	return strings.TrimPrefix(strings.TrimPrefix(rawURL, "http://"), "https://")
}

// closed returns an address at which nothing listens.
func closed(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
