package stanchhttp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/quota"
	"github.com/stanch-go/stanch/shed"
	"github.com/stanch-go/stanch/stanchhttp"
)

// go-zero#3083, #3225 and #3388: a wrapper around the writer broke flushing,
// server-sent events and websockets. Asked for, each ability is there if the
// server has it, and only then.
func TestWriterKeepsAbilities(t *testing.T) {
	seen := &told{}
	control := controller(t, inbound.Config{Concurrency: places1, Limits: []inbound.Limit{perMinute(9)}}, inbound.WithObserver(seen))
	h := stanchhttp.Inbound(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, is := w.(http.Flusher); !is {
			t.Error("cannot flush")
		}
		if _, is := w.(http.Hijacker); is != (r.ProtoMajor == 1) {
			t.Errorf("can be hijacked: %v over %s", is, r.Proto)
		}
		if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Hour)); err != nil {
			t.Error("controller: ", err)
		}
		switch r.URL.Path {
		case "/stream":
			w.(http.Flusher).Flush()
			io.Copy(w, strings.NewReader("well"))
		case "/from":
			w.(io.ReaderFrom).ReadFrom(strings.NewReader("well"))
		case "/hijack":
			conn, rw, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			if control.Stats().Shed.InFlight != 1 {
				t.Error("a connection that was taken over has lost its place")
			}
			fmt.Fprint(rw, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nwell")
			rw.Flush()
		}
	}), control, stanchhttp.InboundOptions{})
	server := httptest.NewUnstartedServer(h)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	defer server.Close()
	get := func(c *http.Client, path string, limited bool) {
		resp, err := c.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		if got := readAll(t, resp); got != "well" || limited != (resp.Header.Get("RateLimit") != "") {
			t.Errorf("%s: %q %v", path, got, resp.Header)
		}
	}
	one := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	get(one, "/stream", true)
	get(one, "/from", true)
	get(one, "/hijack", false)
	two := &http.Transport{Protocols: new(http.Protocols)}
	two.Protocols.SetUnencryptedHTTP2(true)
	defer two.CloseIdleConnections()
	get(&http.Client{Transport: two}, "/stream", true)
	server.Close()
	if got := seen.ended(); !slices.Equal(got, []outcome.Outcome{outcome.Success, outcome.Success, outcome.Ignored, outcome.Success}) {
		t.Errorf("%v", got)
	}
	plain := struct{ http.ResponseWriter }{httptest.NewRecorder()}
	stanchhttp.Inbound(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if _, is := w.(http.Flusher); is {
			t.Error("says that it can flush, which the server's cannot")
		}
	}), controller(t, inbound.Config{}), stanchhttp.InboundOptions{}).ServeHTTP(plain, httptest.NewRequest("GET", "/", nil))
}

// go-zero#1410 and others: a limit leaked a place for each handler that panicked
// or ended its goroutine.
func TestPlaceIsGivenBack(t *testing.T) {
	control := controller(t, inbound.Config{Concurrency: places1})
	for _, end := range []func(){func() { panic("no") }, func() { panic(http.ErrAbortHandler) }, runtime.Goexit} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer func() { recover() }()
			ask(stanchhttp.Inbound(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { end() }), control, stanchhttp.InboundOptions{}), "GET", "/")
		}()
		<-done
		if n := control.Stats().Shed.InFlight; n != 0 {
			t.Fatalf("%d in flight", n)
		}
	}
}

// A request that is refused does not wait for its body: net/http reads up to
// 256 KiB before it passes an answer on.
func TestRefusalDoesNotReadTheBody(t *testing.T) {
	control := controller(t, inbound.Config{Limits: []inbound.Limit{{Name: "none", Rate: 1e-9, Burst: 1}}})
	control.Admit(t.Context(), inbound.Request{})
	server := httptest.NewServer(stanchhttp.Inbound(http.HandlerFunc(ok), control, stanchhttp.InboundOptions{}))
	defer server.Close()
	for _, header := range []string{"Content-Length: 1000", "Transfer-Encoding: chunked", "Content-Length: 1000\r\nExpect: 100-continue", "Content-Length: 10000000"} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		conn.SetDeadline(time.Now().Add(10 * time.Second))
		fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: shop\r\n%s\r\n\r\n", header)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || resp.StatusCode != 429 {
			t.Errorf("%s: %v %v", header, resp, err)
		}
		conn.Close()
	}
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	for range 3 { // a short body that comes costs no connection
		fmt.Fprint(conn, "POST / HTTP/1.1\r\nHost: shop\r\nContent-Length: 4\r\n\r\nwell")
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || resp.StatusCode != 429 || resp.Close {
			t.Fatalf("%v %v", resp, err)
		}
	}
}

// A hint (103) is not the answer: it has neither its status nor its headers.
func TestHintsAreNotTheAnswer(t *testing.T) {
	seen := &told{}
	control := controller(t, inbound.Config{Limits: []inbound.Limit{perMinute(9)}}, inbound.WithObserver(seen))
	server := httptest.NewServer(stanchhttp.Inbound(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(103)
		w.WriteHeader(503)
	}), control, stanchhttp.InboundOptions{}))
	defer server.Close()
	hints := 0
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got1xxResponse: func(_ int, h textproto.MIMEHeader) error {
		hints++
		if h.Get("RateLimit") != "" {
			t.Error("the hint tells of limits")
		}
		return nil
	}})
	resp, err := http.DefaultClient.Do(newRequest(t, ctx, "GET", server.URL, nil))
	if err != nil {
		t.Fatal(err)
	}
	readAll(t, resp)
	http.DefaultClient.CloseIdleConnections()
	server.Close()
	if hints != 1 || resp.StatusCode != 503 || resp.Header.Get("RateLimit") == "" || !slices.Equal(seen.ended(), []outcome.Outcome{outcome.Failure}) {
		t.Errorf("%d hints, %d %v, %v", hints, resp.StatusCode, resp.Header, seen.ended())
	}
}

// A client that left while it waited is not answered: the 200 that net/http would
// make of it counts as served in every log.
func TestNobodyIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		control := controller(t, inbound.Config{Concurrency: inbound.Concurrency{Config: shed.Config{Limit: 1, Queue: 1, Target: time.Second, Interval: time.Minute}}})
		a, err := control.Admit(t.Context(), inbound.Request{})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Done(outcome.Success)
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, leave)
		w := httptest.NewRecorder()
		defer func() {
			if p := recover(); p != http.ErrAbortHandler || w.Body.Len() > 0 || len(w.Header()) > 0 {
				t.Errorf("%v: %d %v", p, w.Code, w.Header())
			}
		}()
		stanchhttp.Inbound(http.HandlerFunc(ok), control, stanchhttp.InboundOptions{}).ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "/", nil))
		t.Error("the request was let in")
	})
}

// Behind a limit for POST /login stands a service that may be in Java, where a
// segment of a path may have parameters, or in Python, where post is POST. Whoever
// wrote a path in another way once had no limit.
func TestOtherSpellingsHaveTheSameLimit(t *testing.T) {
	control, err := inbound.New("shop", inbound.Config{Limits: []inbound.Limit{{Name: "login", Route: "POST /login", Rate: 1e-9}}})
	if err != nil {
		t.Fatal(err)
	}
	h := stanchhttp.Inbound(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), control, stanchhttp.InboundOptions{})
	status := func(method, target string) int {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", target, nil)
		r.Method = method
		h.ServeHTTP(w, r)
		return w.Code
	}
	if got := status("POST", "/login"); got != http.StatusOK {
		t.Fatalf("the first: %d", got)
	}
	for _, target := range []string{"/login", "//login", "/%6cogin", "/x/../login", "/%2e/login", "/login/", "/login;v=1", "/login;/x", "/x;/..;a/login", "/login%3bx", "/login%2fx", "/login?x"} {
		for _, method := range []string{"POST", "post", "Post"} {
			if got := status(method, target); got != http.StatusTooManyRequests {
				t.Errorf("%s %s: %d", method, target, got)
			}
		}
	}
	for _, target := range []string{"/", "/;login", "/logins", "/x/login"} {
		if got := status("POST", target); got != http.StatusOK {
			t.Errorf("%s: %d, it has no limit", target, got)
		}
	}
}

// hung is a quota whose store does not answer.
type hung struct{}

func (hung) Allow(ctx context.Context, _ string, _ float64) quota.Decision {
	<-ctx.Done()
	return quota.Decision{Err: ctx.Err()}
}
func (hung) Set(quota.Config) error { return nil }

// A handler around this one gave the request a time, which ended while a quota was
// asked. There was no answer for that, and the handler panicked.
func TestTimeIsOverAtTheQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		control, err := inbound.New("shop", inbound.Config{Quotas: []inbound.Quota{{Name: "q", Config: quota.Config{Rate: 1, Mode: quota.ModeCentral}}}}, inbound.WithQuota("q", hung{}))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		w := httptest.NewRecorder()
		stanchhttp.Inbound(http.HandlerFunc(ok), control, stanchhttp.InboundOptions{}).ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "/", nil))
		if w.Code != http.StatusGatewayTimeout || w.Header().Get("Stanch-Refused") != "deadline" {
			t.Errorf("%d %v", w.Code, w.Header())
		}
	})
}
