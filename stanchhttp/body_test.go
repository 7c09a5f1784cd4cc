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
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/stanchhttp"
)

func TestThePlaceIsKeptUntilTheBodyIsDone(t *testing.T) {
	broken := errors.New("reset")
	for _, c := range []struct {
		name string
		body io.Reader
		end  func(io.ReadCloser)
	}{
		{"closed unread", strings.NewReader("x"), func(b io.ReadCloser) { b.Close() }},
		{"closed twice", strings.NewReader("x"), func(b io.ReadCloser) { b.Close(); b.Close() }},
		{"read to its end", strings.NewReader("x"), func(b io.ReadCloser) { io.ReadAll(b) }},
		{"read and closed", strings.NewReader("x"), func(b io.ReadCloser) { io.ReadAll(b); b.Close() }},
		{"broken", io.MultiReader(strings.NewReader("x"), failing{broken}), func(b io.ReadCloser) {
			if _, err := io.ReadAll(b); err != broken {
				t.Errorf("error %v, want the body's own", err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := guard(t)
			tr := stanchhttp.New(d, base(func(r *http.Request) (*http.Response, error) {
				return answer(r, 200, &tracked{Reader: c.body}), nil
			}), stanchhttp.Options{})
			resp, err := tr.RoundTrip(newRequest(t, t.Context(), "GET", "http://shop/", nil))
			if err != nil {
				t.Fatal(err)
			}
			if places(d) != 1 {
				t.Error("the place was given back while the body is open")
			}
			if _, err := tr.RoundTrip(newRequest(t, t.Context(), "GET", "http://shop/", nil)); !errors.Is(err, stanch.ErrBulkheadFull) {
				t.Errorf("error %v, want that the one place is taken", err)
			}
			c.end(resp.Body)
			if places(d) != 0 {
				t.Error("the place was not given back")
			}
		})
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestAnswersWithoutABodyHoldNothing(t *testing.T) {
	for _, c := range []struct {
		method string
		status int
		body   io.ReadCloser
	}{
		{"GET", 200, http.NoBody},
		{"HEAD", 200, text("")},
		{"GET", 204, text("")},
		{"GET", 304, text("")},
	} {
		d := guard(t)
		_, err := stanchhttp.New(d, base(func(r *http.Request) (*http.Response, error) { return answer(r, c.status, c.body), nil }), stanchhttp.Options{}).
			RoundTrip(newRequest(t, t.Context(), c.method, "http://shop/", nil))
		if err != nil || places(d) != 0 {
			t.Errorf("%s %d: %v, %d places taken", c.method, c.status, err, places(d))
		}
	}
}

func TestTheContextLivesAsLongAsTheBody(t *testing.T) {
	for name, change := range map[string]func(*stanch.Config){
		"with limits":    func(*stanch.Config) {},
		"without limits": func(c *stanch.Config) { c.Timeout, c.Bulkhead = deadline.Config{}, bulkhead.Config{} },
	} {
		var ctx context.Context
		resp, err := stanchhttp.New(guard(t, change), base(func(r *http.Request) (*http.Response, error) {
			ctx = r.Context()
			return answer(r, 200, text("x")), nil
		}), stanchhttp.Options{}).RoundTrip(newRequest(t, t.Context(), "GET", "http://shop/", nil))
		if err != nil || ctx.Err() != nil {
			t.Errorf("%s: %v, context %v, want a living one", name, err, ctx.Err())
		}
		if resp.Body.Close(); ctx.Err() != context.Canceled {
			t.Errorf("%s: context %v after the body is closed", name, ctx.Err())
		}
	}
}

// A body that happens to be writable is no connection: its end is the end.
func TestAWritableBodyIsNotAnUpgrade(t *testing.T) {
	d := guard(t)
	resp, err := stanchhttp.New(d, base(func(r *http.Request) (*http.Response, error) {
		return answer(r, 200, &struct {
			tracked
			io.Writer
		}{tracked: tracked{Reader: strings.NewReader("x")}}), nil
	}), stanchhttp.Options{}).RoundTrip(newRequest(t, t.Context(), "GET", "http://shop/", nil))
	if err != nil {
		t.Fatal(err)
	}
	if io.Copy(io.Discard, resp.Body); places(d) != 0 {
		t.Error("the place was not given back at the end of the body")
	}
}

func TestAForgottenBodyKeepsItsPlaceOnlyUntilTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := guard(t) // 5s for an attempt
		_, err := stanchhttp.New(d, base(func(r *http.Request) (*http.Response, error) { return answer(r, 200, text("x")), nil }), stanchhttp.Options{}).
			RoundTrip(newRequest(t, t.Context(), "GET", "http://shop/", nil))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(5*time.Second - time.Millisecond)
		synctest.Wait()
		if places(d) != 1 {
			t.Error("the place was given back too early")
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if places(d) != 0 {
			t.Error("the place is lost")
		}
	})
}

func TestReadAhead(t *testing.T) {
	for _, c := range []struct {
		size      int
		truncated bool
	}{{0, false}, {10, false}, {64 << 10, false}, {64<<10 + 1, true}, {1 << 20, true}} {
		var bodies []*tracked
		d := guard(t, func(c *stanch.Config) { c.Retry.RetryAfterCap = time.Second })
		resp, err := stanchhttp.New(d, base(func(r *http.Request) (*http.Response, error) {
			if places(d) != 1 {
				t.Error("an attempt without a place")
			}
			b := text(strings.Repeat("e", c.size))
			bodies = append(bodies, b)
			return answer(r, 503, b, "Retry-After", "60"), nil // more than the cap: refused after reading ahead
		}), stanchhttp.Options{}).RoundTrip(newRequest(t, t.Context(), "GET", "http://shop/", nil))
		if err != nil {
			t.Fatal(err)
		}
		if places(d) != 0 || bodies[0].closed.Load() == 0 {
			t.Errorf("%d bytes: %d places taken, closed %d times", c.size, places(d), bodies[0].closed.Load())
		}
		data, err := io.ReadAll(resp.Body)
		if len(data) != min(c.size, 64<<10) || errors.Is(err, stanchhttp.ErrTruncated) != c.truncated || !c.truncated && err != nil {
			t.Errorf("%d bytes: read %d, %v", c.size, len(data), err)
		}
	}
}

// The last attempt's answer is not read ahead: it is the caller's as it comes.
func TestTheLastAnswerIsWhole(t *testing.T) {
	d := guard(t, attempts(2))
	resp, err := stanchhttp.New(d, base(func(r *http.Request) (*http.Response, error) {
		return answer(r, 503, text(strings.Repeat("e", 1<<20))), nil
	}), stanchhttp.Options{}).RoundTrip(newRequest(t, t.Context(), "GET", "http://shop/", nil))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(readAll(t, resp)); n != 1<<20 || places(d) != 0 {
		t.Errorf("%d bytes, %d places", n, places(d))
	}
}
