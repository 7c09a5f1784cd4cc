package e2e

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// bound is how long anything may take that should happen soon. It is long: it
// is met only when something is broken.
const bound = 30 * time.Second

// A process is a program that a test runs. It is ended, by its id, with the test.
type process struct {
	t    testing.TB
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  lines         // what it wrote, errors too
	done chan struct{} // closed when it has ended
}

// run starts a program with the environment env on top of an empty one, but for
// the way to other programs.
func run(t testing.TB, env []string, name string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(name, args...), done: make(chan struct{})}
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}, env...)
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stderr = p.cmd.Stdout
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.out.read(out)
		p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s wrote:\n%s", name, p.out.String())
		}
		p.cmd.Process.Kill() // its own id only; an error if it has ended
		<-p.done
	})
	return p
}

// wait waits for the end and returns the exit code.
func (p *process) wait() int {
	p.t.Helper()
	select {
	case <-p.done:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(bound):
		p.t.Fatalf("%v does not end", p.cmd)
		return -1
	}
}

// signal sends a signal to this process.
func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// output runs a program to its end and returns what it wrote, and its exit code.
func output(t testing.TB, env []string, name string, args ...string) (string, int) {
	t.Helper()
	p := run(t, env, name, args...)
	p.in.Close()
	code := p.wait()
	return p.out.String(), code
}

// until waits for something that another one brings about.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(bound); !ok(); <-tick.C {
		if time.Now().After(end) {
			t.Fatal("waited in vain until ", what)
		}
	}
}

// lines are what a program has written so far.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) read(r io.Reader) {
	for s := bufio.NewReader(r); ; {
		line, err := s.ReadString('\n')
		if line = strings.TrimSuffix(line, "\n"); line != "" || err == nil {
			l.mu.Lock()
			l.all = append(l.all, line)
			l.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

// since returns the lines from number n on.
func (l *lines) since(n int) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all[n:])
}

func (l *lines) String() string { return strings.Join(l.since(0), "\n") }

// has reports whether a line from number n on contains all of the words.
func (l *lines) has(n int, words ...string) bool {
	return slices.ContainsFunc(l.since(n), func(line string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(line, w) })
	})
}

// need finds a program that is not part of Go. In CI it has to be there.
func need(t *testing.T, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	missing(t, names[0])
	return ""
}

func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is not installed, and CI=true demands it", what)
	}
	t.Skipf("%s is not installed", what)
}

// python finds an interpreter that has requests.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"/usr/bin/python3", "python3"} {
		ctx, cancel := context.WithTimeout(t.Context(), bound)
		defer cancel()
		if exec.CommandContext(ctx, name, "-c", "import requests").Run() == nil {
			return name
		}
	}
	missing(t, "python3 with requests (Debian: python3-requests)")
	return ""
}
