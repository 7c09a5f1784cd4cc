package redisquota_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/stanch-go/stanch/quota"
	"github.com/stanch-go/stanch/quota/redisquota"
)

// bound is how long anything may take that should happen soon.
const bound = 20 * time.Second

// A server is a redis-server of a test, on loopback and without any file. It is
// ended, by its id, with the test.
type server struct {
	t    testing.TB
	port int
	args []string
	cmd  *exec.Cmd
	done chan struct{}
}

func start(t testing.TB, args ...string) *server {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("no redis-server, and CI=true demands it (Debian: apt-get install redis-server): ", err)
		}
		t.Skip("this machine has no redis-server")
	}
	s := &server{t: t, args: append([]string{path}, args...)}
	for range 5 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		s.port = l.Addr().(*net.TCPAddr).Port
		l.Close()
		if s.run() {
			t.Cleanup(s.kill)
			return s
		}
	}
	t.Fatal("redis-server does not start")
	return nil
}

// run starts the server on its port. It is false if somebody else has the port.
func (s *server) run() bool {
	s.t.Helper()
	s.cmd = exec.Command(s.args[0], append([]string{"--port", strconv.Itoa(s.port), "--bind", "127.0.0.1",
		"--save", "", "--appendonly", "no", "--dir", s.t.TempDir()}, s.args[1:]...)...)
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	done := make(chan struct{})
	s.done = done
	cmd := s.cmd
	go func() { cmd.Wait(); close(done) }()
	c := s.client(nil)
	defer c.Close()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(bound); time.Now().Before(end); <-tick.C {
		if c.Ping(context.Background()).Err() == nil {
			return true
		}
		select {
		case <-done:
			return false
		default:
		}
	}
	s.t.Fatal("redis-server does not answer")
	return false
}

func (s *server) kill() {
	s.cmd.Process.Kill() // its own id only; an error if it has ended
	<-s.done
}

func (s *server) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) pause()  { s.signal(syscall.SIGSTOP) }
func (s *server) resume() { s.signal(syscall.SIGCONT) }

func (s *server) addr() string { return "127.0.0.1:" + strconv.Itoa(s.port) }

func (s *server) client(change func(*redis.Options)) *redis.Client {
	o := &redis.Options{Addr: s.addr(), ContextTimeoutEnabled: true, DialerRetries: 1}
	if change != nil {
		change(o)
	}
	c := redis.NewClient(o)
	s.t.Cleanup(func() { c.Close() })
	return c
}

func (s *server) store(cfg redisquota.Config) *redisquota.Store {
	s.t.Helper()
	return must(redisquota.New(s.client(nil), cfg))
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
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

// slow refills so little that no test notices it.
var slow = quota.Limit{Rate: 1e-3, Window: time.Hour, Burst: 100}

func take(t testing.TB, s quota.Store, takes ...quota.Take) []quota.Grant {
	t.Helper()
	grants := make([]quota.Grant, len(takes))
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	if err := s.Take(ctx, takes, grants); err != nil {
		t.Fatal(err)
	}
	return grants
}

// left is what the bucket of a key holds.
func left(t testing.TB, s quota.Store, key string) float64 {
	t.Helper()
	return take(t, s, quota.Take{Key: key, Limit: slow})[0].Remaining
}
