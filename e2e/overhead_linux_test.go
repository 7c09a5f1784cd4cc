package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// What the sidecar costs, beside the least that a proxy can be: a bare
// httputil.ReverseProxy with a transport and buffers as good. Both are processes
// in front of the same server, which is one too, and each round asks both of
// them: 2,000 requests for 1 KiB on 32 connections that are kept. CPU is that of
// the proxy's process, so it does not matter who else is busy. What counts is the
// ratio; the rest depends on the machine.
//
//	go test -run '^$' -bench Overhead -benchtime 50x ./e2e
func BenchmarkOverhead(b *testing.B) {
	server := play(b, "server")
	bare := play(b, "bare", server.addr)
	s := guard(b, fmt.Sprintf("shop: {class: standard, url: \"http://%s\", timeout: {attempt: 2s, total: 3s}, bulkhead: {limit: 64}, fallback: {empty: object}}", server.addr))
	sides := []*side{{process: bare.process, addr: bare.addr}, {process: s.process, addr: s.addr}}
	for _, side := range sides {
		side.round(b) // so that all is warm
		*side = side.rid()
	}
	for b.Loop() {
		for _, side := range sides {
			side.round(b)
		}
		slices.Reverse(sides) // neither is always the first
	}
	if sides[0].process != bare.process {
		slices.Reverse(sides)
	}
	of := func(unit string, f func(*side) float64) {
		x, y := f(sides[0]), f(sides[1])
		b.ReportMetric(x, "bare-"+unit)
		b.ReportMetric(y, "stanch-"+unit)
		if x > 0 {
			b.ReportMetric(y/x, "ratio-"+unit)
		}
	}
	of("cpu-µs", func(s *side) float64 { return s.cpu.Seconds() * 1e6 / float64(len(s.took)) })
	of("p50-µs", func(s *side) float64 { return s.quantile(0.5) })
	of("p99-µs", func(s *side) float64 { return s.quantile(0.99) })
	b.ReportMetric(0, "ns/op") // of both and the load together: says nothing
}

// A side is one of two proxies, with what it has taken so far.
type side struct {
	*process
	addr string
	cpu  time.Duration
	took []time.Duration
}

func (s *side) rid() side { return side{process: s.process, addr: s.addr} }

const (
	connections = 32
	each        = 2000 / connections
)

// round asks a proxy on all connections at once.
func (s *side) round(b *testing.B) {
	before := s.process.cpu()
	var all sync.WaitGroup
	took := make([][]time.Duration, connections)
	for n := range took {
		all.Go(func() {
			var err error
			if took[n], err = times(s.addr, each); err != nil {
				b.Error(err)
			}
		})
	}
	all.Wait()
	s.cpu += s.process.cpu() - before
	s.took = append(s.took, slices.Concat(took...)...)
}

// times sends requests one after the other, by hand, so that the load costs less
// than what it measures.
func times(addr string, n int) (took []time.Duration, err error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(bound))
	r := bufio.NewReader(conn)
	request := []byte("GET /shop/item?id=7 HTTP/1.1\r\nHost: localhost\r\nUser-Agent: load\r\nAccept: */*\r\n\r\n")
	for range n {
		began := time.Now()
		if _, err := conn.Write(request); err != nil {
			return took, err
		}
		if err := skip(r); err != nil {
			return took, err
		}
		took = append(took, time.Since(began))
	}
	return took, nil
}

// skip reads an answer with a length.
func skip(r *bufio.Reader) error {
	length := -1
	for n := 0; ; n++ {
		line, err := r.ReadSlice('\n')
		switch {
		case err != nil:
			return err
		case n == 0 && !bytes.HasPrefix(line, []byte("HTTP/1.1 200 ")):
			return fmt.Errorf("got %q", line)
		case len(line) == 2:
			_, err := r.Discard(length) // -1 is an error
			return err
		}
		if name, value, ok := bytes.Cut(line, []byte(": ")); ok && string(name) == "Content-Length" {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return err
			}
		}
	}
}

// quantile returns one of the latencies, in microseconds.
func (s *side) quantile(q float64) float64 {
	slices.Sort(s.took)
	return float64(s.took[int(q*float64(len(s.took)-1))]) / float64(time.Microsecond)
}

// cpu returns the time that the process has spent on a processor.
func (p *process) cpu() time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	must(err)
	_, rest, _ := strings.Cut(string(text), ") ") // after the name
	fields := strings.Fields(rest)
	user, err := strconv.Atoi(fields[11])
	must(err)
	system, err := strconv.Atoi(fields[12])
	must(err)
	return time.Duration(user+system) * 10 * time.Millisecond // USER_HZ is 100 everywhere
}

// An actor is this program in another role, in a process of its own. It says at
// which address it serves, and ends when its input does.
type actor struct {
	*process
	addr string
}

func play(t testing.TB, role string, args ...string) actor {
	t.Helper()
	self, err := os.Executable()
	must(err)
	a := actor{process: run(t, []string{"STANCH_E2E_ROLE=" + role}, self, args...)}
	until(t, role+" serves", func() bool { return len(a.out.since(0)) > 0 })
	a.addr = a.out.since(0)[0]
	return a
}

func init() {
	roles["server"] = func([]string) error {
		body := bytes.Repeat([]byte("x"), 1024)
		return act(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Write(body)
		}))
	}
	roles["bare"] = func(args []string) error {
		to := &url.URL{Scheme: "http", Host: args[0]}
		return act(&httputil.ReverseProxy{
			Rewrite:    func(r *httputil.ProxyRequest) { r.SetURL(to) },
			Transport:  &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true},
			BufferPool: &buffers{},
			ErrorLog:   log.New(io.Discard, "", 0),
		})
	}
}

func act(h http.Handler) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	return http.Serve(l, h)
}

// buffers spare the bare proxy what would be unfair.
type buffers struct{ sync.Pool }

func (b *buffers) Get() []byte {
	if p, ok := b.Pool.Get().(*[32 << 10]byte); ok {
		return p[:]
	}
	return make([]byte, 32<<10)
}

func (b *buffers) Put(p []byte) { b.Pool.Put((*[32 << 10]byte)(p)) }
