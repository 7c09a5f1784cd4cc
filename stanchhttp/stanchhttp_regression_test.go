package stanchhttp_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/stanchhttp"
)

// failsafe-go#65, #122, #123, #134, #136: the attempt's context was cancelled
// when the call returned, so that a body that was still on its way broke off.
func TestRegressionBodyIsReadAfterTheCall(t *testing.T) {
	goOn := make(chan struct{})
	d := guard(t)
	client, url, _ := serve(t, d, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "first ")
		w.(http.Flusher).Flush()
		<-goOn
		io.WriteString(w, strings.Repeat("second", 100_000))
	})
	resp, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	close(goOn)
	if n := len(readAll(t, resp)); n != 600_006 {
		t.Errorf("%d bytes", n)
	}
	if places(d) != 0 {
		t.Error("the place was not given back")
	}
}

// failsafe-go, heimdall#45, openai-go#495: the answers before a retry were never
// closed, and each cost a connection. Drained and closed, one connection serves
// all attempts of all calls.
func TestRegressionRetriesUseOneConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // else a busy machine may take too long to read an answer
		var calls, conns atomic.Int64
		client, end := serveMemory(guard(t), func(w http.ResponseWriter, _ *http.Request) {
			if calls.Add(1)%3 != 0 {
				w.WriteHeader(503)
			}
			io.WriteString(w, strings.Repeat("x", 10_000))
		})
		defer end()
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) {
			if !c.Reused {
				conns.Add(1)
			}
		}})
		for range 100 {
			resp, err := client.Do(newRequest(t, ctx, "GET", "http://shop/", nil))
			if err != nil || resp.StatusCode != 200 {
				t.Fatal(resp, err)
			}
			readAll(t, resp)
		}
		if calls.Load() != 300 || conns.Load() != 1 {
			t.Errorf("%d attempts on %d connections, want 300 on 1", calls.Load(), conns.Load())
		}
	})
}

// go-retryablehttp#85, #98, #237: a call that failed for good closed the idle
// connections of everybody who shared the client.
func TestRegressionAFailureLeavesOthersConnections(t *testing.T) {
	client, url, conns := serve(t, guard(t), func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/bad" {
			w.WriteHeader(500)
		}
	})
	for _, path := range []string{"/good", "/bad", "/good"} {
		resp, err := client.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		readAll(t, resp)
	}
	// A call that gets no answer at all.
	client.Do(newRequest(t, t.Context(), "GET", "http://127.0.0.1:1/", nil))
	resp, err := client.Get(url + "/good")
	if err != nil {
		t.Fatal(err)
	}
	readAll(t, resp)
	if conns.Load() != 1 {
		t.Errorf("%d connections, want 1", conns.Load())
	}
}

// failsafe-go#73, heimdall#43, #127, #132, #153, go-retryablehttp#207: the second
// attempt, or the request after a redirect, had an empty body.
func TestRegressionRedirectWithABody(t *testing.T) {
	var bodies []string
	var first atomic.Bool
	client, url, _ := serve(t, guard(t), func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		bodies = append(bodies, r.URL.Path+" "+string(data))
		switch {
		case r.URL.Path == "/old":
			http.Redirect(w, r, "/new", http.StatusTemporaryRedirect)
		case first.CompareAndSwap(false, true):
			w.WriteHeader(502)
		}
	})
	resp, err := client.Do(newRequest(t, t.Context(), "PUT", url+"/old", strings.NewReader("order")))
	if err != nil || resp.StatusCode != 200 {
		t.Fatal(resp, err)
	}
	readAll(t, resp)
	if got := strings.Join(bodies, ", "); got != "/old order, /new order, /new order" {
		t.Errorf("the server got %s", got)
	}
}

// go-retryablehttp retried whatever failed: one order was placed three times.
func TestRegressionAnOrderIsPlacedOnce(t *testing.T) {
	var orders atomic.Int64
	client, url, _ := serve(t, guard(t), func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if orders.Add(1); r.URL.Path == "/gone" {
			conn, _, _ := w.(http.Hijacker).Hijack()
			conn.Close() // done, and the answer is lost
			return
		}
		w.WriteHeader(503)
	})
	if _, err := client.Post(url+"/gone", "text/plain", strings.NewReader("order")); err == nil {
		t.Error("no error")
	}
	resp, err := client.Post(url, "text/plain", strings.NewReader("order"))
	if err != nil {
		t.Fatal(err)
	}
	readAll(t, resp)
	if orders.Load() != 2 {
		t.Errorf("%d orders of 2", orders.Load())
	}
}

// go-retryablehttp#247, #295: "86400" slept for a day although waits were capped
// at 30s, and "9223372037" overflowed into no wait at all. failsafe-go took a
// date for nothing and repeated at once.
func TestRegressionRetryAfterBeyondReason(t *testing.T) {
	for _, value := range []string{"86400", "9223372037", "18446744074", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"} {
		var calls atomic.Int64
		client, url, _ := serve(t, guard(t), func(w http.ResponseWriter, _ *http.Request) {
			calls.Add(1)
			w.Header().Set("Retry-After", value)
			w.WriteHeader(503)
			io.WriteString(w, "later")
		})
		began := time.Now()
		resp, err := client.Get(url)
		if err != nil || resp.StatusCode != 503 || readAll(t, resp) != "later" {
			t.Fatal(resp, err)
		}
		if calls.Load() != 1 || time.Since(began) > 2*time.Second {
			t.Errorf("Retry-After %s: %d calls in %v, want 1 at once", value, calls.Load(), time.Since(began))
		}
	}
}

// failsafe-go's handler: the server answered 500 twenty times, and the breaker
// saw twenty calls without an error.
func TestRegressionTheBreakerSeesStatuses(t *testing.T) {
	d := guard(t, breakerAfter(3), attempts(1))
	client, url, _ := serve(t, d, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
	for i := range 4 {
		resp, err := client.Get(url)
		if open := errors.Is(err, stanch.ErrBreakerOpen); open != (i == 3) {
			t.Fatalf("call %d: %v", i+1, err)
		}
		if err == nil {
			readAll(t, resp)
		}
	}
	if d.Breaker().State() != breaker.Open {
		t.Error("the breaker is not open")
	}
}

// go-zero#1802, #2041, #3083: what stood between broke upgraded connections.
func TestRegressionUpgrade(t *testing.T) {
	d := guard(t, func(c *stanch.Config) { c.Timeout.Attempt = 200 * time.Millisecond })
	client, url, _ := serve(t, d, func(w http.ResponseWriter, _ *http.Request) {
		conn, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		rw.Flush()
		line, _ := rw.ReadString('\n')
		rw.WriteString("echo " + line)
		rw.Flush()
		rest, _ := io.ReadAll(rw) // until the client closes its half
		conn.Write(rest)
	})
	req := newRequest(t, t.Context(), "GET", url, nil)
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "echo")
	resp, err := client.Do(req)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatal(resp, err)
	}
	conn, ok := resp.Body.(io.ReadWriteCloser)
	if !ok {
		t.Fatalf("%T cannot be written", resp.Body)
	}
	<-time.After(300 * time.Millisecond) // the attempt's limit is over: it was for the answer
	io.WriteString(conn, "hello\n")
	in := bufio.NewReader(conn)
	if line, err := in.ReadString('\n'); line != "echo hello\n" {
		t.Fatalf("%q, %v", line, err)
	}
	io.WriteString(conn, "bye")
	if err := conn.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(in); string(rest) != "bye" {
		t.Errorf("%q, %v", rest, err)
	}
	if places(d) != 1 {
		t.Error("the connection is open, and its place was given back")
	}
	conn.Close()
	if places(d) != 0 {
		t.Error("the connection is closed, and its place is taken")
	}
}

// A server that refuses a body before it was sent must still get it, whole, with
// the next attempt.
func TestRegressionExpectContinue(t *testing.T) {
	var calls atomic.Int64
	var got atomic.Value
	client, url, _ := serve(t, guard(t), func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) == 1 {
			w.WriteHeader(503) // without having asked for the body
			return
		}
		data, _ := io.ReadAll(r.Body)
		got.Store(string(data))
	})
	req := newRequest(t, t.Context(), "PUT", url, strings.NewReader(strings.Repeat("x", 100_000)))
	req.Header.Set("Expect", "100-continue")
	resp, err := client.Do(req)
	if err != nil || resp.StatusCode != 200 {
		t.Fatal(resp, err)
	}
	readAll(t, resp)
	if s, _ := got.Load().(string); len(s) != 100_000 || calls.Load() != 2 {
		t.Errorf("%d bytes with attempt %d", len(s), calls.Load())
	}
}

// heimdall#43 and others: over HTTP/2 the body of a retry was empty. There is
// one connection, on which a stream that ends must not end its neighbours.
func TestRegressionHTTP2(t *testing.T) {
	var calls, whole atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		if r.ProtoMajor == 2 && (len(data) == 50_000 || r.Method == "HEAD") {
			whole.Add(1)
		}
		if calls.Add(1)%2 == 1 {
			w.WriteHeader(503)
		}
		io.WriteString(w, strings.Repeat("y", 50_000))
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	d := guard(t, func(c *stanch.Config) { c.Bulkhead = bulkhead.Config{Limit: 100} })
	transport := stanchhttp.NewBase(d, stanchhttp.ClientConfig{})
	transport.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig
	client := &http.Client{Transport: stanchhttp.New(d, transport, stanchhttp.Options{})}
	defer client.CloseIdleConnections()
	for i := range 30 {
		resp, err := client.Do(newRequest(t, t.Context(), "PUT", server.URL, strings.NewReader(strings.Repeat("x", 50_000))))
		if err != nil || resp.StatusCode != 200 {
			t.Fatal(resp, err)
		}
		if i%2 == 0 {
			resp.Body.Close() // unread: the stream is reset, its place comes back
		} else if s := readAll(t, resp); len(s) != 50_000 {
			t.Fatalf("%d bytes", len(s))
		}
		if places(d) != 0 {
			t.Fatal("the place was not given back")
		}
	}
	resp, err := client.Head(server.URL)
	if err != nil || places(d) != 0 {
		t.Error(resp, err, places(d))
	}
	if whole.Load() != calls.Load() || calls.Load() != 62 {
		t.Errorf("%d of %d attempts were whole, want 62 of 62", whole.Load(), calls.Load())
	}
}

// heimdall, rehttp: the answer before a retry was drained without a bound. What
// is too long costs its connection instead of the caller's time.
func TestRegressionDrainIsBoundedInSize(t *testing.T) {
	var calls, sent atomic.Int64
	client, url, conns := serve(t, guard(t), func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) > 1 {
			return
		}
		w.WriteHeader(503)
		chunk := make([]byte, 32<<10)
		for r.Context().Err() == nil {
			n, err := w.Write(chunk)
			if sent.Add(int64(n)); err != nil {
				return
			}
		}
	})
	resp, err := client.Get(url)
	if err != nil || resp.StatusCode != 200 {
		t.Fatal(resp, err)
	}
	readAll(t, resp)
	if conns.Load() != 2 {
		t.Errorf("%d connections, want a second one", conns.Load())
	}
}

// cep21, failsafe-go, hystrix-go and others leaked a goroutine or a place with
// some kind of end. Many callers, all kinds of end, nothing left.
func TestRegressionNothingLeaks(t *testing.T) {
	d := guard(t, func(c *stanch.Config) {
		c.Bulkhead = bulkhead.Config{Limit: 50}
		c.Timeout = deadline.Config{Attempt: 50 * time.Millisecond, Total: 200 * time.Millisecond}
	})
	var calls atomic.Int64
	before := runtime.NumGoroutine()
	client, url, _ := serve(t, d, func(w http.ResponseWriter, r *http.Request) {
		switch calls.Add(1) % 5 {
		case 0:
			w.WriteHeader(503)
		case 1:
			conn, _, _ := w.(http.Hijacker).Hijack()
			conn.Close()
		case 2:
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		default:
			io.WriteString(w, strings.Repeat("x", 100_000))
		}
	})
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			for j := range 10 {
				ctx, cancel := context.WithCancel(t.Context())
				if (i+j)%4 == 0 {
					ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
				}
				resp, err := client.Do(newRequest(t, ctx, "GET", url, nil))
				if err == nil {
					if (i+j)%3 > 0 {
						io.Copy(io.Discard, resp.Body)
					}
					if (i+j)%3 < 2 {
						go resp.Body.Close()
					}
					resp.Body.Close()
				}
				cancel()
			}
		})
	}
	group.Wait()
	idle(t, d)
	client.CloseIdleConnections()
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before+5; { // the server's own
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		<-time.After(5 * time.Millisecond)
	}
}

// hedgedhttp#1, #9 and failsafe-go#122 lost what callers put into the context.
func TestRegressionTheCallersContextIsKept(t *testing.T) {
	client, url, _ := serve(t, guard(t), func(http.ResponseWriter, *http.Request) {})
	var got atomic.Int64
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { got.Add(1) }})
	resp, err := client.Do(newRequest(t, ctx, "GET", url, nil))
	if err != nil {
		t.Fatal(err)
	}
	readAll(t, resp)
	if got.Load() != 1 || resp.Request.Context() != ctx {
		t.Errorf("%d connections traced", got.Load())
	}
}
