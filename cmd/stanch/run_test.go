package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// program is the real program, which the binary of the tests is under its name.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(path, args...)
	c.Args[0] = "stanch"
	return c
}

// process runs the real program, and returns the address of its egress.
func process(t *testing.T, file string) (c *exec.Cmd, address string, log func() string) {
	t.Helper()
	c = program(t, "run", "-c", file, "--drain", "10s")
	out, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill() }) // does nothing when it has ended
	var all strings.Builder
	lines := bufio.NewScanner(out)
	for address == "" && lines.Scan() {
		all.WriteString(lines.Text() + "\n")
		if m := regexp.MustCompile(`egress=(\S+)`).FindStringSubmatch(lines.Text()); m != nil {
			address = m[1]
		}
	}
	if address == "" {
		t.Fatal("it does not listen: ", all.String())
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines.Scan() {
			all.WriteString(lines.Text() + "\n")
		}
	}()
	return c, address, func() string { <-read; return all.String() }
}

func policyFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "stanch.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// SIGTERM under load: every request that was accepted is answered, and the
// program ends with 0. Clients may be refused a new connection, and are told on
// the last answer of each one they have.
func TestRunEndsWithoutLosingARequest(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-time.After(2 * time.Millisecond) // so that some are in flight
		io.Copy(w, r.Body)
	}))
	defer server.Close()
	c, address, log := process(t, policyFile(t, fmt.Sprintf(`version: 1
listen: {egress: "127.0.0.1:0", admin: "unix:%s"}
dependencies: {shop: {url: %q, timeout: {attempt: 10s}, bulkhead: {limit: 100}}}
`, filepath.Join(t.TempDir(), "admin"), server.URL)))
	var answered atomic.Int64
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}, Timeout: 10 * time.Second}
			defer client.CloseIdleConnections()
			for {
				resp, err := client.Post("http://"+address+"/shop/", "text/plain", strings.NewReader("hello"))
				if err != nil {
					t.Errorf("lost: %v", err)
					return
				}
				body, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if err != nil || resp.StatusCode != 200 || string(body) != "hello" {
					t.Errorf("lost: %d %q %v", resp.StatusCode, body, err)
				}
				answered.Add(1)
				if resp.Close {
					return
				}
			}
		})
	}
	for end := time.Now().Add(10 * time.Second); answered.Load() < 200; {
		if time.Now().After(end) {
			t.Fatal("too few requests")
		}
		<-time.After(time.Millisecond)
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	clients.Wait()
	text := log()
	if err := c.Wait(); err != nil {
		t.Errorf("%v: %s", err, text)
	}
	if !strings.Contains(text, "msg=draining") || !strings.Contains(text, "msg=ended") {
		t.Error(text)
	}
}

// A bad file ends the start with what "stanch policy" says of it, and a bad
// reload does not end anything.
func TestRunAndBadPolicies(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close() // nobody is there
	file := policyFile(t, fmt.Sprintf(`version: 1
listen: {egress: "127.0.0.1:0", admin: "unix:%s"}
dependencies: {shop: {url: "http://%s"}}
`, filepath.Join(t.TempDir(), "admin"), l.Addr()))
	c, address, log := process(t, file)
	if err := os.WriteFile(file, []byte("version: 1\ndependences: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.Process.Signal(syscall.SIGHUP)
	resp, err := http.Get("http://" + address + "/shop/")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 502 {
		t.Error(resp.Status)
	}
	<-time.After(200 * time.Millisecond) // longer than a change needs to be seen
	c.Process.Signal(syscall.SIGTERM)
	text := log()
	if err := c.Wait(); err != nil {
		t.Errorf("%v: %s", err, text)
	}
	if !strings.Contains(text, "policy refused") || !strings.Contains(text, ":2:1: dependences: unknown key") {
		t.Error(text)
	}

	out, err := program(t, "run", "-c", file).CombinedOutput()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != exitInput {
		t.Errorf("%v: %s", err, out)
	}
	if !strings.Contains(string(out), `dependences`) || !strings.Contains(string(out), `did you mean "dependencies"?`) {
		t.Errorf("%s", out)
	}
	file = policyFile(t, fmt.Sprintf("version: 1\nlisten:\n  admin: \"unix:%s\"\n  egress_tls: {cert: none.pem, key: none.key}\n", filepath.Join(t.TempDir(), "admin")))
	out, err = program(t, "run", "-c", file).CombinedOutput()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != exitInput {
		t.Errorf("%v: %s", err, out)
	}
	if !strings.Contains(string(out), ":4:22: listen.egress_tls.cert: cannot be read") || !strings.Contains(string(out), ":4:37: listen.egress_tls.key: cannot be read") {
		t.Errorf("%s", out)
	}
	out, err = program(t, "run").CombinedOutput()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != exitInput {
		t.Errorf("without a file: %v: %s", err, out)
	}
}
