package proxy_test

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

// upgrade changes to a protocol that says everything in upper case.
func upgrade(protocol string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "" {
			w.WriteHeader(http.StatusUpgradeRequired)
			return
		}
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		fmt.Fprintf(rw, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\n", protocol)
		rw.Flush()
		for {
			line, err := rw.ReadString('\n')
			if err != nil {
				io.WriteString(conn, "end\n")
				return
			}
			io.WriteString(conn, strings.ToUpper(line))
		}
	}
}

func dial(t *testing.T, s *sidecar) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	return conn, bufio.NewReader(conn)
}

const ask = "GET /shop/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: loud\r\nX-Envoy-Expected-Rq-Timeout-Ms: 40\r\n\r\n"

// The connection outlives the attempt's and the client's time, which were for
// the answer; it keeps its place until it ends.
func TestUpgrade(t *testing.T) {
	s := one(t, "timeout: {attempt: 30ms}, bulkhead: {limit: 1}", upgrade("loud"))
	conn, r := dial(t, s)
	io.WriteString(conn, ask)
	resp, err := http.ReadResponse(r, nil)
	if err != nil || resp.StatusCode != 101 || resp.Header.Get("Upgrade") != "loud" || resp.Header.Get("Stanch-Source") != "live" {
		t.Fatalf("got %v, %v", resp, err)
	}
	<-time.After(60 * ms) // beyond both times
	for _, line := range []string{"hello\n", "again\n"} {
		io.WriteString(conn, line)
		if got, err := r.ReadString('\n'); got != strings.ToUpper(line) {
			t.Fatalf("got %q, %v", got, err)
		}
	}
	if n := s.shop().Bulkhead.InFlight; n != 1 {
		t.Errorf("%d places", n)
	}
	conn.(*net.TCPConn).CloseWrite() // the other half stays
	if rest, _ := io.ReadAll(r); string(rest) != "end\n" {
		t.Errorf("the end was %q", rest)
	}
	until(t, "the place is free", func() bool { return s.shop().Bulkhead.InFlight == 0 })
	if d := s.shop(); d.Calls["ok"] != 1 {
		t.Errorf("counted %v", d.Calls)
	}
}

func TestUpgradeRefused(t *testing.T) {
	s := one(t, "", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusTeapot) })
	conn, r := dial(t, s)
	io.WriteString(conn, ask)
	if resp, err := http.ReadResponse(r, nil); err != nil || resp.StatusCode != http.StatusTeapot {
		t.Errorf("got %v, %v", resp, err)
	}
}

// A server that changes to something else once left its connection, and the
// place in the bulkhead, for ever.
func TestUpgradeToAnotherProtocol(t *testing.T) {
	s := one(t, "bulkhead: {limit: 1}", upgrade("other"))
	conn, r := dial(t, s)
	io.WriteString(conn, ask)
	if resp, err := http.ReadResponse(r, nil); err != nil || resp.StatusCode != 502 {
		t.Errorf("got %v, %v", resp, err)
	}
	until(t, "the place is free", func() bool { return s.shop().Bulkhead.InFlight == 0 })
}

func TestUpgradeIdles(t *testing.T) {
	s := one(t, "http: {stream_idle: 60ms}", upgrade("loud"))
	conn, r := dial(t, s)
	io.WriteString(conn, ask)
	if _, err := http.ReadResponse(r, nil); err != nil {
		t.Fatal(err)
	}
	for range 4 { // is not idle
		<-time.After(20 * ms)
		io.WriteString(conn, "x\n")
		if _, err := r.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	io.ReadAll(r)
	if took := time.Since(began); took < 40*ms || took > 5*time.Second {
		t.Errorf("ended after %v", took)
	}
}
