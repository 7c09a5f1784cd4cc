package stanchhttp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/stanchhttp"
)

// ends is a body that can be read until its context ends.
type ends struct{ ctx context.Context }

func (e ends) Read([]byte) (int, error) { <-e.ctx.Done(); return 0, context.Cause(e.ctx) }
func (e ends) Close() error             { return nil }

func streaming(d *stanch.Dependency, b base) *stanchhttp.Transport {
	return stanchhttp.New(d, b, stanchhttp.Options{Streams: true})
}

// The attempt has 5 s. The body outlives it, with its place, and ends with the
// caller.
func TestStreamOutlivesTheAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := guard(t)
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		rt := streaming(d, func(r *http.Request) (*http.Response, error) {
			if r.Header.Get("X-Envoy-Expected-Rq-Timeout-Ms") != "5000" {
				t.Error("the server is not told the attempt's time: ", r.Header)
			}
			return &http.Response{StatusCode: 200, Body: ends{r.Context()}}, nil
		})
		req, _ := http.NewRequestWithContext(ctx, "GET", "http://shop/", nil)
		resp, err := rt.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		time.AfterFunc(time.Minute, leave)
		if _, err := io.ReadAll(resp.Body); !errors.Is(err, context.Canceled) || time.Since(began) != time.Minute {
			t.Errorf("the body ended after %v with %v", time.Since(began), err)
		}
		synctest.Wait()
		if n := places(d); n != 0 {
			t.Errorf("%d places are held", n)
		}
	})
}

// The caller's deadline may be one for the header alone.
func TestStreamOutlivesTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := guard(t)
		life, leave := context.WithCancel(t.Context())
		defer leave()
		ctx, cancel := stanchhttp.WithDeadline(life, time.Now().Add(time.Second))
		rt := streaming(d, func(r *http.Request) (*http.Response, error) {
			if r.URL.Path == "/never" {
				<-r.Context().Done()
				return nil, context.Cause(r.Context())
			}
			return &http.Response{StatusCode: 200, Body: ends{r.Context()}}, nil
		})
		began := time.Now()
		req, _ := http.NewRequestWithContext(ctx, "GET", "http://shop/", nil)
		resp, err := rt.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		time.AfterFunc(time.Minute, leave)
		if _, err := io.ReadAll(resp.Body); !errors.Is(err, context.Canceled) || time.Since(began) != time.Minute {
			t.Errorf("the body ended after %v with %v", time.Since(began), err)
		}
		ctx, cancel = stanchhttp.WithDeadline(t.Context(), time.Now().Add(time.Second))
		defer cancel()
		began = time.Now()
		req, _ = http.NewRequestWithContext(ctx, "GET", "http://shop/never", nil)
		if _, err := rt.RoundTrip(req); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("no header: %v after %v", err, time.Since(began))
		}
	})
}

func TestStreamKeepsItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := guard(t)
		rt := streaming(d, func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: ends{r.Context()}}, nil
		})
		req, _ := http.NewRequestWithContext(t.Context(), "GET", "http://shop/", nil)
		resp, err := rt.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute) // virtual
		if n := places(d); n != 1 {
			t.Errorf("%d places are held", n)
		}
		resp.Body.Close()
		if n := places(d); n != 0 {
			t.Errorf("%d places are held after Close", n)
		}
	})
}

// The header is still bounded. HTTP/2 tells of the end of its context, and not
// of the cause, which once made a timeout a cancellation.
func TestStreamWithoutAHeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt := streaming(guard(t, attempts(1)), func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		req, _ := http.NewRequestWithContext(t.Context(), "GET", "http://shop/", nil)
		began := time.Now()
		if _, err := rt.RoundTrip(req); !errors.Is(err, stanch.ErrTimeout) || time.Since(began) != 5*time.Second {
			t.Errorf("got %v after %v", err, time.Since(began))
		}
	})
}

// upload is a body that can be had again as long as little was read.
type upload struct {
	io.Reader
	rewinds bool
}

func (u *upload) Rewinds() bool { return u.rewinds }
func (u *upload) Close() error  { return nil }

func TestRewinderIsAsked(t *testing.T) {
	for _, rewinds := range []bool{true, false} {
		sent := 0
		body := &upload{strings.NewReader("x"), true}
		rt := stanchhttp.New(guard(t), base(func(*http.Request) (*http.Response, error) {
			sent++
			body.rewinds = rewinds
			return reply(503, ""), nil
		}), stanchhttp.Options{})
		req, _ := http.NewRequestWithContext(t.Context(), "PUT", "http://shop/", body)
		req.GetBody = func() (io.ReadCloser, error) { return body, nil }
		resp, err := rt.RoundTrip(req)
		if want := map[bool]int{true: 3, false: 1}[rewinds]; err != nil || resp.StatusCode != 503 || sent != want {
			t.Errorf("rewinds %v: sent %d times, %v", rewinds, sent, err)
		}
	}
}

// A client that stalled while its body was being read once made the time of the
// attempt the server's failure.
func TestExcludedAtTheEndOfTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := guard(t, breakerAfter(1))
		stalled := errors.New("the client stalled")
		rt := streaming(d, func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, outcome.Excluded(stalled)
		})
		req, _ := http.NewRequestWithContext(t.Context(), "PUT", "http://shop/", nil)
		if _, err := rt.RoundTrip(req); !errors.Is(err, stalled) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if s := d.Breaker().State(); s.String() != "closed" {
			t.Errorf("the breaker is %v", s)
		}
	})
}
