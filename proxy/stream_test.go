package proxy_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stanch-go/stanch/proxy"
)

// Each event arrives when it is sent, long after the attempt's time.
func TestEventStream(t *testing.T) {
	next := make(chan string)
	s := one(t, "timeout: {attempt: 50ms}, bulkhead: {limit: 1}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		if h := r.Header.Get("X-Envoy-Expected-Rq-Timeout-Ms"); h != "" {
			fmt.Fprint(w, "data: told to end after ", h, "\n")
		}
		w.(http.Flusher).Flush()
		for e := range next {
			fmt.Fprintf(w, "data: %s\n", e)
			w.(http.Flusher).Flush()
		}
	})
	req, _ := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/shop/", nil)
	req.Header.Set("Accept", "text/event-stream")
	resp, err := client(t, "").Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	<-time.After(100 * ms) // beyond the attempt's
	for i := range 3 {
		next <- fmt.Sprint(i)
		if !lines.Scan() || lines.Text() != fmt.Sprint("data: ", i) {
			t.Fatalf("event %d: %q, %v", i, lines.Text(), lines.Err())
		}
	}
	if n := s.shop().Bulkhead.InFlight; n != 1 {
		t.Errorf("%d places for the stream", n)
	}
	close(next)
	until(t, "the place is free", func() bool { return s.shop().Bulkhead.InFlight == 0 })
	if d := s.shop(); d.Calls["ok"] != 1 {
		t.Errorf("counted %v", d.Calls)
	}
}

// A body that pauses for too long is cut off, and the client sees that it is not
// whole.
func TestPause(t *testing.T) {
	s := one(t, "bulkhead: {limit: 1}, http: {idle: 30ms}", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "some")
		w.(http.Flusher).Flush()
		hang(w, r)
	})
	req, _ := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/shop/", nil)
	resp, err := client(t, "").Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err == nil || string(body) != "some" {
		t.Errorf("got %q, %v", body, err)
	}
	until(t, "the place is free", func() bool { return s.shop().Bulkhead.InFlight == 0 })
}

func TestTrailers(t *testing.T) {
	s := one(t, "", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Trailer", "X-Sum")
		fmt.Fprintf(w, "%s %s", body, r.Trailer.Get("X-Check"))
		w.Header().Set("X-Sum", "7")
		w.Header().Set(http.TrailerPrefix+"X-Late", "8")
	})
	pr, pw := io.Pipe()
	req, _ := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/shop/", pr)
	req.Trailer = http.Header{"X-Check": nil}
	go func() {
		io.WriteString(pw, "body")
		req.Trailer.Set("X-Check", "sum")
		pw.Close()
	}()
	g := read(t, client(t, ""), req)
	if g.body != "body sum" || g.Trailer.Get("X-Sum") != "7" || g.Trailer.Get("X-Late") != "8" {
		t.Errorf("got %q with the trailers %v", g.body, g.Trailer)
	}
}

// The client is asked for its body only when the dependency wants it.
func TestContinue(t *testing.T) {
	s := one(t, "", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/no" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		body, _ := io.ReadAll(r.Body)
		fmt.Fprint(w, len(body))
	})
	ask := func(path string) (first string, reader *bufio.Reader, conn net.Conn) {
		conn, err := net.Dial("tcp", s.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		conn.SetDeadline(time.Now().Add(10 * time.Second))
		fmt.Fprintf(conn, "POST /shop%s HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n", path)
		reader = bufio.NewReader(conn)
		first, _ = reader.ReadString('\n')
		return first, reader, conn
	}
	first, reader, conn := ask("/yes")
	defer conn.Close()
	if !strings.HasPrefix(first, "HTTP/1.1 100 ") {
		t.Fatalf("got %q", first)
	}
	reader.ReadString('\n')
	io.WriteString(conn, "hello")
	if resp, err := http.ReadResponse(reader, nil); err != nil || resp.StatusCode != 200 {
		t.Errorf("got %v, %v", resp, err)
	}
	first, _, conn = ask("/no")
	defer conn.Close()
	if !strings.HasPrefix(first, "HTTP/1.1 401 ") {
		t.Errorf("got %q", first)
	}
}

// Early hints and the like pass.
func TestInformational(t *testing.T) {
	s := one(t, "", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</a.css>")
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(200)
	})
	answer := raw(t, s.Addr().String(), "GET /shop/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	if !strings.HasPrefix(answer, "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n") || !strings.Contains(answer, "\r\nHTTP/1.1 200 OK\r\n") || !strings.Contains(answer, "Stanch-Source: live") {
		t.Error(answer)
	}
}

// zeros is a body of so many bytes, which nobody has in memory.
type zeros struct {
	left   int64
	passed *atomic.Int64
}

func (z *zeros) Read(p []byte) (int, error) {
	if z.left == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), z.left)
	z.left -= n
	z.passed.Add(n)
	return int(n), nil
}

// A hundred megabytes there and back need no more memory than a few buffers.
func TestLargeBodiesAreNotKept(t *testing.T) {
	const size = 100 << 20
	s := one(t, "retry: {attempts: 3}, fallback: {last_good: {}}", func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) })
	var sent atomic.Int64
	req, _ := http.NewRequestWithContext(t.Context(), "PUT", s.URL+"/shop/", &zeros{size, &sent})
	req.ContentLength = size
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before := m.HeapAlloc
	c := client(t, "")
	c.Timeout = time.Minute
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var came, most int64
	buf := make([]byte, 1<<20)
	for {
		n, err := resp.Body.Read(buf)
		if came>>24 != (came+int64(n))>>24 { // each 16 MiB
			runtime.GC()
			runtime.ReadMemStats(&m)
			most = max(most, int64(m.HeapAlloc)-int64(before))
		}
		came += int64(n)
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if came != size || sent.Load() != size {
		t.Errorf("%d bytes sent, %d came back", sent.Load(), came)
	}
	if most > 8<<20 {
		t.Errorf("the heap grew by %d KiB", most>>10)
	}
	t.Logf("the heap grew by %d KiB at most", most>>10)
}

// A client that does not take its answer is cut off, and its place is free.
func TestSlowReader(t *testing.T) {
	s := one(t, "bulkhead: {limit: 1}", func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	}, func(o *proxy.Options) { o.ClientIdle = 50 * ms })
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	req, _ := http.NewRequestWithContext(ctx, "GET", s.URL+"/shop/", nil)
	resp, err := client(t, "").Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() // and nothing is read
	until(t, "the place is free", func() bool { return s.shop().Bulkhead.InFlight == 0 })
}
