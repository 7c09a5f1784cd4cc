package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A process is one that this program started, with its children.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{}
}

// start runs a command and waits until its address answers.
func start(ctx context.Context, addr, name string, args ...string) (*process, error) {
	var out bytes.Buffer
	c := exec.CommandContext(ctx, name, args...)
	c.Stdout, c.Stderr = &out, &out
	c.Env = append(os.Environ(), "XDG_DATA_HOME="+os.TempDir(), "XDG_CONFIG_HOME="+os.TempDir())
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = 5 * time.Second
	if err := c.Start(); err != nil {
		return nil, err
	}
	p := &process{c, make(chan struct{})}
	go func() {
		c.Wait()
		close(p.ended)
	}()
	for until := time.Now().Add(10 * time.Second); time.Now().Before(until); {
		select {
		case <-p.ended:
			return nil, fmt.Errorf("%s ended: %s", filepath.Base(name), strings.TrimSpace(out.String()))
		case <-time.After(50 * time.Millisecond):
		}
		if conn, err := net.Dial("tcp", addr); err == nil {
			conn.Close()
			return p, nil
		}
	}
	p.end()
	return nil, fmt.Errorf("%s does not answer: %s", filepath.Base(name), strings.TrimSpace(out.String()))
}

// end ends it, hard if it does not end by itself.
func (p *process) end() {
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(5 * time.Second):
		for _, pid := range p.all() {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// all are the numbers of the process and of its children.
func (p *process) all() []int {
	pids := []int{p.cmd.Process.Pid}
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pids[0]))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for child := range strings.FieldsSeq(string(text)) {
			if pid, err := strconv.Atoi(child); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// cpu is the time that it has used, in both modes. The kernel counts it in
// hundredths of a second.
func (p *process) cpu() (sum time.Duration) {
	for _, pid := range p.all() {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, rest, _ := strings.Cut(string(text), ") ") // a name may have spaces
		if fields := strings.Fields(rest); len(fields) > 12 {
			user, _ := strconv.Atoi(fields[11])
			system, _ := strconv.Atoi(fields[12])
			sum += time.Duration(user+system) * 10 * time.Millisecond
		}
	}
	return sum
}

// resident is its memory, in bytes.
func (p *process) resident() (sum int64) {
	for _, pid := range p.all() {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
		if fields := strings.Fields(string(text)); len(fields) > 1 {
			pages, _ := strconv.ParseInt(fields[1], 10, 64)
			sum += pages * int64(os.Getpagesize())
		}
	}
	return sum
}
