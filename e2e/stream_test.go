package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Each event of a stream arrives before the next is sent, and the stream lives
// on when the time for an attempt is over: that is for its header.
func TestEventStream(t *testing.T) {
	next := make(chan string)
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(200)
		rc := http.NewResponseController(w)
		for rc.Flush(); ; rc.Flush() {
			select {
			case text, ok := <-next:
				if !ok {
					return
				}
				fmt.Fprintf(w, "data: %s\n\n", text)
			case <-r.Context().Done():
				return
			}
		}
	}))
	s := guard(t, fmt.Sprintf("news: {url: %q, timeout: {attempt: 300ms, total: 300ms}}", url))
	req, _ := http.NewRequestWithContext(within(t, bound), "GET", url, nil)
	req.Header.Set("Accept", "text/event-stream")
	resp, err := s.client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	events := bufio.NewReader(resp.Body)
	began := time.Now()
	for n := 0; time.Since(began) < 700*time.Millisecond; n++ {
		sent := fmt.Sprint(n)
		next <- sent
		line, err := events.ReadString('\n')
		if err != nil || line != "data: "+sent+"\n" {
			t.Fatalf("event %d after %v: %q, %v", n, time.Since(began), line, err)
		}
		if line, err = events.ReadString('\n'); line != "\n" {
			t.Fatalf("%q, %v", line, err)
		}
		<-time.After(50 * time.Millisecond) // the stream's own pace
	}
	close(next)
	if rest, err := io.ReadAll(events); err != nil || len(rest) != 0 {
		t.Errorf("%q, %v", rest, err)
	}
}

// Trailers pass both ways.
func TestTrailers(t *testing.T) {
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-Sum")
		io.Copy(w, r.Body)
		w.Header().Set("X-Sum", r.Trailer.Get("X-Sum")+" twice")
		w.Header().Set(http.TrailerPrefix+"X-Late", "not announced")
	}))
	for _, how := range []string{"", ", http: {h2c: true}"} {
		s := guard(t, fmt.Sprintf("sum: {url: %q%s}", url, how))
		req, _ := http.NewRequestWithContext(within(t, bound), "POST", url, io.MultiReader(strings.NewReader("a body")))
		req.Trailer = http.Header{"X-Sum": {"7"}}
		resp, err := s.client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || string(body) != "a body" || resp.Trailer.Get("X-Sum") != "7 twice" || resp.Trailer.Get("X-Late") != "not announced" {
			t.Errorf("%s: %q, %v, trailer %v", how, body, err, resp.Trailer)
		}
	}
}

// A client that asks first whether it may send its body is told by whom it is
// sent to, not by the sidecar.
func TestContinue(t *testing.T) {
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/no" {
			w.Header().Set("Connection", "close")
			http.Error(w, "no", http.StatusExpectationFailed)
			return
		}
		io.Copy(w, r.Body) // net/http sends the 100 at the first read
	}))
	s := guard(t, fmt.Sprintf("put: {url: %q, timeout: {attempt: 10s}}", url))
	ask := func(path string) (net.Conn, *bufio.Reader) {
		conn, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		conn.SetDeadline(time.Now().Add(bound))
		fmt.Fprintf(conn, "PUT /put%s HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n", path)
		return conn, bufio.NewReader(conn)
	}
	conn, r := ask("/yes")
	if line, err := r.ReadString('\n'); err != nil || line != "HTTP/1.1 100 Continue\r\n" {
		t.Fatalf("%q, %v", line, err)
	}
	r.ReadString('\n')
	io.WriteString(conn, "body")
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != 200 || string(body) != "body" {
		t.Errorf("%d %q, %v", resp.StatusCode, body, err)
	}

	_, r = ask("/no") // and never sends it
	resp, err = http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusExpectationFailed || resp.Header.Get("Stanch-Source") != "live" {
		t.Errorf("%d %v", resp.StatusCode, resp.Header)
	}
}
