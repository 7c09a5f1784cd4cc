package direct_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stanch-go/stanch/proxy/direct"
)

const (
	ms   = time.Millisecond
	long = 10 * time.Second // for what comes at once
)

// TestMain looks for goroutines that nobody ends.
func TestMain(m *testing.M) {
	log.SetOutput(io.Discard) // net/http tells of what came unasked
	code := m.Run()
	left := func() bool {
		all := make([]byte, 1<<20)
		return strings.Contains(string(all[:runtime.Stack(all, true)]), "proxy/direct.(")
	}
	for end := time.Now().Add(5 * time.Second); left() && time.Now().Before(end); {
		runtime.Gosched()
	}
	if code == 0 && left() {
		fmt.Fprintln(os.Stderr, "goroutines are left")
		code = 1
	}
	os.Exit(code)
}

// A server does with each connection what the test says.
type server struct {
	t     *testing.T
	addr  string
	mu    sync.Mutex
	heads []string // of the requests, as they came
	conns []net.Conn
}

// talk is what happens on connection n, counted from 0.
type talk func(c *peer, n int)

// A peer is the server's end of a connection.
type peer struct {
	net.Conn
	in *bufio.Reader
	s  *server
}

func serve(t *testing.T, do talk) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, addr: l.Addr().String()}
	var all sync.WaitGroup
	all.Go(func() {
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.conns = append(s.conns, c)
			s.mu.Unlock()
			all.Go(func() {
				defer c.Close()
				do(&peer{c, bufio.NewReader(c), s}, n)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		s.mu.Lock()
		for _, c := range s.conns {
			c.Close()
		}
		s.mu.Unlock()
		all.Wait()
	})
	return s
}

// next reads the head of a request, false when there is none.
func (p *peer) next() bool {
	var head strings.Builder
	for {
		line, err := p.in.ReadString('\n')
		head.WriteString(line)
		if err != nil {
			return false
		}
		if line == "\r\n" {
			break
		}
	}
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.s.heads = append(p.s.heads, head.String())
	return true
}

func (p *peer) say(text string) { io.WriteString(p, text) }

// gone waits until the client has closed the connection.
func (p *peer) gone() bool {
	p.SetReadDeadline(time.Now().Add(long))
	_, err := io.Copy(io.Discard, p.in)
	return err == nil || strings.Contains(err.Error(), "reset")
}

func (s *server) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.heads)
}

func (s *server) connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

// always answers every request of a connection the same.
func always(text string) talk {
	return func(c *peer, _ int) {
		for c.next() {
			c.say(text)
		}
	}
}

// client returns a Transport to the server.
func (s *server) client(change ...func(*http.Transport)) *direct.Transport {
	like := &http.Transport{MaxIdleConnsPerHost: 10, DialContext: (&net.Dialer{Timeout: long}).DialContext, MaxResponseHeaderBytes: 4 << 10}
	for _, c := range change {
		c(like)
	}
	t := direct.New(s.addr, like)
	s.t.Cleanup(t.CloseIdleConnections)
	return t
}

func (s *server) request(ctx context.Context, method string) *http.Request {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+s.addr+"/a?b=c", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return req
}

// get returns the answer with its body read, and the error of either.
func (s *server) get(rt http.RoundTripper, method string) (*http.Response, string, error) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), long)
	defer cancel()
	return get(rt, s.request(ctx, method))
}

func get(rt http.RoundTripper, req *http.Request) (*http.Response, string, error) {
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
