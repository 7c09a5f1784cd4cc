package direct_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/proxy/direct"
)

// What comes, and whether the connection is used for the next request.
func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		name, method, answer string
		body                 string
		trailer              string
		err                  error
		conns                int // for two requests
	}{
		{"length", "GET", ok, "ok", "", nil, 1},
		{"longer than a header may be", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n" + strings.Repeat("x", 9000), strings.Repeat("x", 9000), "", nil, 1},
		{"no body", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "", "", nil, 1},
		{"HEAD", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", "", "", nil, 1},
		{"HEAD, chunked", "HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "", "", nil, 1},
		{"OPTIONS", "OPTIONS", ok, "ok", "", nil, 1},
		{"204", "GET", "HTTP/1.1 204 No Content\r\n\r\n", "", "", nil, 1},
		{"304", "GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", "", "", nil, 1},
		{"chunked", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", "ok", "", nil, 1},
		{"trailer", "GET", "HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 7\r\n\r\n", "ok", "7", nil, 1},
		{"not kept", "GET", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", "ok", "", nil, 2},
		{"HTTP/1.0", "GET", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok", "", nil, 2},
		{"HTTP/1.0, kept", "GET", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok", "ok", "", nil, 1},
		{"informed", "GET", "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" + ok, "ok", "", nil, 1},
		{"more than was announced", "GET", ok + "HTTP/1.1 200 OK\r\n", "ok", "", nil, 2},
		{"more than a HEAD has", "HEAD", ok, "", "", nil, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, always(tt.answer))
			c := s.client()
			for range 2 {
				resp, body, err := s.get(c, tt.method)
				if !errors.Is(err, tt.err) || body != tt.body {
					t.Fatalf("%q, %v; want %q, %v", body, err, tt.body, tt.err)
				}
				if got := resp.Trailer.Get("X-Sum"); got != tt.trailer {
					t.Errorf("trailer %q, want %q", got, tt.trailer)
				}
			}
			if n := s.connections(); n != tt.conns {
				t.Errorf("%d connections for two requests, want %d", n, tt.conns)
			}
		})
	}
}

// Answers that are cut off, broken or too long: each is an error, of the same kind
// as http.Transport gives.
func TestBrokenAnswers(t *testing.T) {
	again, never := outcome.Verdict{Outcome: outcome.Failure, Retry: true}, outcome.Verdict{Outcome: outcome.Failure}
	for _, tt := range []struct {
		name, answer string
		is           error // nil: any
		want         outcome.Verdict
	}{
		{"nothing", "", nil, again},
		{"cut in the header", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n", io.ErrUnexpectedEOF, again},
		{"cut in the body", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok", io.ErrUnexpectedEOF, again},
		{"cut in a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nok", io.ErrUnexpectedEOF, again},
		{"another protocol", "SSH-2.0-OpenSSH\r\n\r\n", nil, never},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!", nil, never},
		{"an encoding that nobody knows", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nok", nil, never},
		{"a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok", nil, never},
		{"a long header", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 5<<10) + "\r\n\r\n", nil, never},
		{"many answers 1xx", strings.Repeat("HTTP/1.1 102 \r\n\r\n", 80) + ok, nil, never},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, func(c *peer, _ int) {
				c.next()
				c.say(tt.answer)
			})
			_, body, err := s.get(s.client(), "GET")
			if err == nil || tt.is != nil && !errors.Is(err, tt.is) {
				t.Fatalf("%q, %v", body, err)
			}
			if got := outcome.Classify(err); got != tt.want {
				t.Errorf("%v is taken for %+v", err, got)
			}
			if tt.name == "many answers 1xx" {
				return // which net/http bounds by their bytes alone
			}
			like := &http.Transport{MaxResponseHeaderBytes: 4 << 10, DisableCompression: true}
			defer like.CloseIdleConnections()
			if _, _, err := s.get(like, "GET"); outcome.Classify(err) != tt.want {
				t.Errorf("net/http: %v is taken for %+v", err, outcome.Classify(err))
			}
		})
	}
}

// What cannot be an answer ends the connection, and at once.
func TestWhatIsNoAnswer(t *testing.T) {
	for name, answer := range map[string]string{
		"another protocol that nobody asked for": "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
		"another protocol from the beginning":    "SSH-2.0-OpenSSH\r\n",
	} {
		closed := make(chan bool, 1)
		s := serve(t, func(c *peer, _ int) {
			c.next()
			c.say(answer)
			closed <- c.gone()
		})
		if _, _, err := s.get(s.client(), "GET"); err == nil || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		if !<-closed {
			t.Errorf("%s: the connection is still open", name)
		}
	}
}

// A reverse proxy passes on what it is told before the answer.
func TestInformedThroughTrace(t *testing.T) {
	s := serve(t, always("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"+ok))
	refuse := errors.New("refused")
	var answer error
	var got []string
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
		got = append(got, http.StatusText(code), h.Get("Link"))
		return answer
	}})
	c := s.client()
	if _, body, err := get(c, s.request(ctx, "GET")); err != nil || body != "ok" {
		t.Errorf("%q, %v", body, err)
	}
	if !slices.Equal(got, []string{"Early Hints", "a"}) {
		t.Errorf("told %q", got)
	}
	answer = refuse
	if _, _, err := get(c, s.request(ctx, "GET")); !errors.Is(err, refuse) {
		t.Errorf("%v", err)
	}
}

// Whatever ends an exchange, its place is free again.
func TestPanicInTrace(t *testing.T) {
	s := serve(t, always("HTTP/1.1 103 Early Hints\r\n\r\n"+ok))
	c := s.client(func(l *http.Transport) { l.MaxConnsPerHost = 1 })
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got1xxResponse: func(int, textproto.MIMEHeader) error { panic("broken") }})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		c.RoundTrip(s.request(ctx, "GET"))
	}()
	if _, body, err := s.get(c, "GET"); err != nil || body != "ok" {
		t.Errorf("%q, %v", body, err)
	}
}

// Wherever the server keeps silent, the end of the context is felt at once, its
// cause is the error, and the connection is closed.
func TestEndOfContext(t *testing.T) {
	why := errors.New("enough")
	for name, begin := range map[string]string{"before the answer": "", "in the header": "HTTP/1.1 200 OK\r\n", "in the body": "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok"} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			closed := make(chan bool, 1)
			s := serve(t, func(c *peer, _ int) {
				c.next()
				c.say(begin)
				time.AfterFunc(20*ms, func() { cancel(why) })
				closed <- c.gone()
			})
			_, _, err := get(s.client(), s.request(ctx, "GET"))
			if !errors.Is(err, why) {
				t.Errorf("%v", err)
			}
			if !<-closed {
				t.Error("the connection is still open")
			}
		})
	}
}

// A server that does not read: the request is longer than the system keeps.
func TestEndOfContextWhileWriting(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*ms)
	defer cancel()
	s := serve(t, func(c *peer, _ int) { <-ctx.Done() })
	req := s.request(ctx, "GET")
	req.Header.Set("X", strings.Repeat("x", 32<<20))
	if _, _, err := get(s.client(), req); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestContextThatHasEnded(t *testing.T) {
	s := serve(t, always(ok))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := get(s.client(), s.request(ctx, "GET")); err != context.Canceled {
		t.Errorf("%v", err)
	}
	if n := s.connections(); n != 0 {
		t.Errorf("%d connections", n)
	}
}

func TestNobodyListens(t *testing.T) {
	s := serve(t, always(ok))
	c := direct.New("127.0.0.1:1", &http.Transport{})
	_, _, err := s.get(c, "GET")
	if op, is := errors.AsType[*net.OpError](err); !is || op.Op != "dial" || !errors.Is(err, syscall.ECONNREFUSED) || !outcome.NeverSent(err) {
		t.Errorf("%v", err)
	}
}

func TestDialIsBounded(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	s := serve(t, always(ok))
	c := s.client(func(l *http.Transport) {
		l.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			cancel(why)
			<-ctx.Done()
			return nil, ctx.Err()
		}
	})
	if _, _, err := get(c, s.request(ctx, "GET")); err != why {
		t.Errorf("%v", err)
	}
}

func TestHeaderTimeout(t *testing.T) {
	s := serve(t, func(c *peer, n int) {
		for c.next() {
			if n > 0 {
				c.say(ok)
			}
		}
	})
	c := s.client(func(l *http.Transport) { l.ResponseHeaderTimeout = 50 * ms })
	_, _, err := s.get(c, "GET")
	if !errors.Is(err, os.ErrDeadlineExceeded) || outcome.Classify(err) != (outcome.Verdict{Outcome: outcome.Failure, Retry: true}) {
		t.Errorf("%v", err)
	}
	if n := s.requests(); n != 1 {
		t.Errorf("sent %d times", n)
	}
}

// The header has a limit of its own, and the body does not inherit it.
func TestHeaderTimeoutIsNotTheBodys(t *testing.T) {
	s := serve(t, func(c *peer, _ int) {
		for c.next() {
			c.say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
			<-time.After(400 * ms)
			c.say("ok")
		}
	})
	c := s.client(func(l *http.Transport) { l.ResponseHeaderTimeout = 250 * ms })
	for range 2 {
		if _, body, err := s.get(c, "GET"); err != nil || body != "ok" {
			t.Errorf("%q, %v", body, err)
		}
	}
}

// At most so many connections are in use, and who waits for one gets it when it
// is free, or leaves when its time is over.
func TestMostConnections(t *testing.T) {
	s := serve(t, always(ok))
	c := s.client(func(l *http.Transport) { l.MaxConnsPerHost = 1 })
	first, err := c.RoundTrip(s.request(t.Context(), "GET"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*ms)
	defer cancel()
	if _, _, err := get(c, s.request(ctx, "GET")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	got := make(chan error, 1)
	go func() {
		_, _, err := s.get(c, "GET")
		got <- err
	}()
	io.Copy(io.Discard, first.Body)
	if err := <-got; err != nil {
		t.Error(err)
	}
	if n := s.connections(); n != 1 {
		t.Errorf("%d connections", n)
	}
}
