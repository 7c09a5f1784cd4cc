package stanchhttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/retry"
	"github.com/stanch-go/stanch/stanchhttp"
)

// unread has a body that cannot be had again.
type unread struct{ io.Reader }

func TestWhatIsRepeated(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	reset := &net.OpError{Op: "read", Err: syscall.ECONNRESET}
	for _, c := range []struct {
		name    string
		method  string
		body    io.Reader
		key     []string // nil: no header at all
		options stanchhttp.Options
		status  int
		err     error
		want    int // attempts
	}{
		{name: "GET 503", method: "GET", status: 503, want: 3},
		{name: "GET 500", method: "GET", status: 500, want: 3},
		{name: "GET 429", method: "GET", status: 429, want: 3},
		{name: "GET 501", method: "GET", status: 501, want: 1},
		{name: "GET 404", method: "GET", status: 404, want: 1},
		{name: "GET 200", method: "GET", status: 200, want: 1},
		{name: "GET reset", method: "GET", err: reset, want: 3},
		{name: "GET nothing known", method: "GET", err: errors.New("?"), want: 1},
		{name: "PUT 503", method: "PUT", body: strings.NewReader("x"), status: 503, want: 3},
		{name: "DELETE 503", method: "DELETE", status: 503, want: 3},
		{name: "PUT 503, body only once", method: "PUT", body: unread{strings.NewReader("x")}, status: 503, want: 1},
		{name: "POST 503", method: "POST", body: strings.NewReader("x"), status: 503, want: 1},
		{name: "PATCH 503", method: "PATCH", body: strings.NewReader("x"), status: 503, want: 1},
		{name: "POST reset", method: "POST", body: strings.NewReader("x"), err: reset, want: 1},
		{name: "POST not connected", method: "POST", body: strings.NewReader("x"), err: refused, want: 3},
		{name: "POST not connected, body only once", method: "POST", body: unread{strings.NewReader("x")}, err: refused, want: 1},
		{name: "POST 503 with a key", method: "POST", body: strings.NewReader("x"), key: []string{"k"}, status: 503, want: 3},
		{name: "POST reset with a key", method: "POST", body: strings.NewReader("x"), key: []string{"k"}, err: reset, want: 3},
		{name: "POST 503 with an empty key", method: "POST", key: []string{""}, status: 503, want: 1},
		{name: "POST 503 with a key that is not sent", method: "POST", key: []string{}, status: 503, want: 3},
		{name: "POST 503 with a key, body only once", method: "POST", body: unread{strings.NewReader("x")}, key: []string{"k"}, status: 503, want: 1},
		{name: "POST 503 with another's key", method: "POST", key: []string{"k"}, options: stanchhttp.Options{IdempotencyHeader: "Request-Id"}, status: 503, want: 1},
		{name: "POST 503 with a generated key", method: "POST", options: stanchhttp.Options{GenerateKeys: true}, status: 503, want: 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			begun, got := 0, 0
			d := stanch.Must(stanch.New("shop", guard(t).Config(), stanch.WithObserver(stanch.ObserverFunc(func(e stanch.Event) {
				if e.Step == stanch.StepAttempt {
					begun++
				}
			}))))
			tr := stanchhttp.New(d, base(func(r *http.Request) (*http.Response, error) {
				got++
				if r.Body != nil {
					r.Body.Close()
				}
				if c.err != nil {
					return nil, c.err
				}
				return answer(r, c.status, text("why")), nil
			}), c.options)
			r := newRequest(t, t.Context(), c.method, "http://shop/", c.body)
			if c.key != nil {
				r.Header["Idempotency-Key"] = c.key
			}
			resp, err := tr.RoundTrip(r)
			if got != c.want || begun != c.want {
				t.Errorf("%d attempts, %d by the guard's count, want %d", got, begun, c.want)
			}
			switch {
			case c.err != nil && err != c.err:
				t.Errorf("error %v, want the base's own, %v", err, c.err)
			case c.err == nil && err != nil:
				t.Errorf("error %v instead of the answer", err)
			case c.err == nil:
				if resp.StatusCode != c.status || resp.Request != r {
					t.Errorf("answer %d to %p, want %d to %p", resp.StatusCode, resp.Request, c.status, r)
				}
				if s := readAll(t, resp); s != "why" {
					t.Errorf("body %q", s)
				}
			}
			if places(d) != 0 {
				t.Error("the place is still taken")
			}
		})
	}
}

func TestEveryAttemptHasTheBodyAndTheSameKey(t *testing.T) {
	var bodies, keys []string
	tr := stanchhttp.New(guard(t), base(func(r *http.Request) (*http.Response, error) {
		data, _ := io.ReadAll(r.Body)
		r.Body.Close()
		bodies = append(bodies, string(data))
		keys = append(keys, r.Header.Get("Request-Id"))
		return answer(r, 503, text("")), nil
	}), stanchhttp.Options{IdempotencyHeader: "Request-Id", GenerateKeys: true})
	r := newRequest(t, t.Context(), "POST", "http://shop/", strings.NewReader("two books"))
	resp, err := tr.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if strings.Join(bodies, ",") != "two books,two books,two books" {
		t.Errorf("bodies %q", bodies)
	}
	if len(keys) != 3 || keys[0] != keys[1] || keys[1] != keys[2] || len(keys[0]) < 20 {
		t.Errorf("keys %q", keys)
	}
	if len(r.Header) != 0 {
		t.Errorf("the caller's request was changed: %v", r.Header)
	}
}

func TestHeadersTellTimeAndAttempt(t *testing.T) {
	var times, counts []string
	d := guard(t, func(c *stanch.Config) { c.Timeout.Attempt = 2 * time.Second })
	b := base(func(r *http.Request) (*http.Response, error) {
		times = append(times, r.Header.Get(deadline.HeaderTimeout))
		counts = append(counts, r.Header.Get(deadline.HeaderAttempt))
		return answer(r, 503, text("")), nil
	})
	call := func(ctx context.Context, o stanchhttp.Options) {
		times, counts = nil, nil
		resp, err := stanchhttp.New(d, b, o).RoundTrip(newRequest(t, ctx, "GET", "http://shop/", nil))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	call(t.Context(), stanchhttp.Options{})
	if strings.Join(counts, " ") != "1 2 3" {
		t.Errorf("attempts %q", counts)
	}
	for _, ms := range times {
		if d, err := time.ParseDuration(ms + "ms"); err != nil || d < time.Second || d > 2*time.Second {
			t.Errorf("remaining time %q, want a little less than 2000", ms)
		}
	}
	// Somebody's second attempt is not retried here, and not by the next one either.
	call(deadline.WithAttempt(t.Context(), 2), stanchhttp.Options{})
	if strings.Join(counts, " ") != "2" {
		t.Errorf("attempts %q, want only the second", counts)
	}
	call(t.Context(), stanchhttp.Options{OmitHeaders: true})
	if strings.Join(append(times, counts...), "") != "" {
		t.Errorf("headers %q %q, want none", times, counts)
	}
}

// A connection that was given up may still write the header of its attempt when
// the next one begins: only the first may have the request's own.
func TestOwnedHeaderIsOnlyTheFirstAttempts(t *testing.T) {
	var sent []http.Header
	b := base(func(r *http.Request) (*http.Response, error) {
		sent = append(sent, r.Header)
		return answer(r, 503, text("")), nil
	})
	r := newRequest(t, t.Context(), "GET", "http://shop/", nil)
	resp, err := stanchhttp.New(guard(t), b, stanchhttp.Options{Owned: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if len(sent) != 3 {
		t.Fatalf("%d attempts, want 3", len(sent))
	}
	r.Header.Set("Mark", "own")
	for i, h := range sent {
		if n := h.Get(deadline.HeaderAttempt); n != strconv.Itoa(i+1) {
			t.Errorf("attempt %d says it is the %q", i+1, n)
		}
		if own := h.Get("Mark") != ""; own != (i == 0) {
			t.Errorf("attempt %d has the request's own header: %v", i+1, own)
		}
	}
}

// What a base adds to values of the request stays that attempt's, also where the
// caller's slice has room for more: the one before may still be read from.
func TestAttemptsShareNoRoomForValues(t *testing.T) {
	for _, names := range []int{1, 20} {
		r := newRequest(t, t.Context(), "GET", "http://shop/", nil)
		for i := range names {
			r.Header[fmt.Sprintf("X-%d", i)] = append(make([]string, 0, 4), "caller's")
		}
		var sent []http.Header
		resp, err := stanchhttp.New(guard(t), base(func(r *http.Request) (*http.Response, error) {
			sent = append(sent, r.Header)
			r.Header.Add("X-0", fmt.Sprint("attempt ", len(sent)))
			return answer(r, 503, text("")), nil
		}), stanchhttp.Options{}).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		for i, h := range sent {
			if got := h["X-0"]; len(got) != 2 || got[1] != fmt.Sprint("attempt ", i+1) {
				t.Errorf("%d names: attempt %d has %q", names, i+1, got)
			}
		}
		if got := r.Header["X-0"]; len(sent) != 3 || len(got) != 1 || len(r.Header) != names {
			t.Errorf("%d names: %d attempts, the caller has %q", names, len(sent), got)
		}
	}
}

func TestOwnedBodyKeepsItsPlaceUntilClosed(t *testing.T) {
	for _, owned := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			d := guard(t)
			b := base(func(r *http.Request) (*http.Response, error) { return answer(r, 200, text("late")), nil })
			resp, err := stanchhttp.New(d, b, stanchhttp.Options{Streams: true, Owned: owned}).RoundTrip(newRequest(t, ctx, "GET", "http://shop/", nil))
			if err != nil {
				t.Fatal(err)
			}
			cancel()
			synctest.Wait()
			if held := places(d) == 1; held != owned {
				t.Errorf("owned %v: held after the end of the context: %v", owned, held)
			}
			resp.Body.Close()
			if places(d) != 0 {
				t.Errorf("owned %v: held after the body was closed", owned)
			}
		})
	}
}

func TestRefusedBeforeTheFirstAttempt(t *testing.T) {
	d := guard(t, breakerAfter(1), attempts(1))
	calls := 0
	client := &http.Client{Transport: stanchhttp.New(d, base(func(r *http.Request) (*http.Response, error) {
		calls++
		return answer(r, 500, text("")), nil
	}), stanchhttp.Options{})}
	resp, err := client.Get("http://shop/")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()

	body := text("order")
	_, err = client.Do(newRequest(t, t.Context(), "POST", "http://shop/", body))
	refusal, ok := errors.AsType[*stanch.Refusal](err)
	if !ok || !errors.Is(err, stanch.ErrBreakerOpen) || refusal.RetryAfter == 0 {
		t.Errorf("error %v, want that the breaker is open", err)
	}
	if calls != 1 {
		t.Errorf("%d calls, want 1", calls)
	}
	if body.closed.Load() == 0 {
		t.Error("the body of the refused request was not closed")
	}
}

func TestARefusedRetryReturnsTheAnswer(t *testing.T) {
	always503 := func(r *http.Request) (*http.Response, error) {
		return answer(r, 503, text("come back later"), "Retry-After", "7"), nil
	}
	for _, c := range []struct {
		name   string
		change func(*stanch.Config)
	}{
		{"by the budget", func(c *stanch.Config) {
			c.Retry.RetryAfterCap, c.Timeout.Total = time.Hour, time.Hour
			c.Budget = retry.BudgetConfig{Kind: retry.KindEarning, Max: 1, Trickle: 0.001}
		}},
		{"by the time", func(c *stanch.Config) { c.Retry.RetryAfterCap = time.Hour; c.Timeout.Total = 6 * time.Second }},
		{"by the cap", func(c *stanch.Config) { c.Retry.RetryAfterCap = time.Second }},
		{"by the breaker", func(c *stanch.Config) { breakerAfter(1)(c) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := guard(t, c.change)
			if b := d.Budget(); b != nil {
				for b.TakeAt(clock.Real.Now()) {
				}
			}
			resp, err := stanchhttp.New(d, base(always503), stanchhttp.Options{}).RoundTrip(newRequest(t, t.Context(), "GET", "http://shop/", nil))
			if err != nil {
				t.Fatalf("error %v instead of the answer", err)
			}
			if resp.StatusCode != 503 || readAll(t, resp) != "come back later" {
				t.Errorf("answer %v", resp)
			}
		})
	}
}

func TestARefusedRetryOfAnErrorKeepsBoth(t *testing.T) {
	reset := &net.OpError{Op: "read", Err: syscall.ECONNRESET}
	d := guard(t, breakerAfter(1))
	_, err := stanchhttp.New(d, base(func(*http.Request) (*http.Response, error) { return nil, reset }), stanchhttp.Options{}).
		RoundTrip(newRequest(t, t.Context(), "GET", "http://shop/", nil))
	if !errors.Is(err, stanch.ErrBreakerOpen) || !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("error %v, want the refusal and its cause", err)
	}
}

func TestTheClassifierCannotRepeatAnOrder(t *testing.T) {
	cfg := stanch.Config{Retry: retry.Config{Attempts: 3, Base: time.Nanosecond, Jitter: retry.None}}
	d := stanch.Must(stanch.New("shop", cfg, stanch.WithClassifier(func(error) outcome.Verdict {
		return outcome.Verdict{Outcome: outcome.Failure, Retry: true}
	})))
	calls, bodies := 0, []*tracked{}
	tr := stanchhttp.New(d, base(func(r *http.Request) (*http.Response, error) {
		calls++
		bodies = append(bodies, text("full"))
		return answer(r, 501, bodies[len(bodies)-1]), nil
	}), stanchhttp.Options{})
	resp, err := tr.RoundTrip(newRequest(t, t.Context(), "POST", "http://shop/", strings.NewReader("x")))
	if err != nil || readAll(t, resp) != "full" || calls != 1 {
		t.Errorf("%d calls, %v, want one with its answer", calls, err)
	}
	// What may be repeated is, and no answer in between stays open.
	bodies = nil
	resp, err = tr.RoundTrip(newRequest(t, t.Context(), "GET", "http://shop/", nil))
	if err != nil || readAll(t, resp) != "full" || len(bodies) != 3 {
		t.Errorf("%d answers, %v, want 3", len(bodies), err)
	}
	for i, b := range bodies {
		if b.closed.Load() == 0 {
			t.Errorf("answer %d was not closed", i+1)
		}
	}
}

func TestNothingIsLeftOpenByAPanic(t *testing.T) {
	body := text("answer")
	panics := true
	cfg := guard(t).Config()
	d := stanch.Must(stanch.New("shop", cfg, stanch.WithObserver(stanch.ObserverFunc(func(e stanch.Event) {
		if panics && e.Step == stanch.StepAttemptDone {
			panics = false
			panic("observer")
		}
	}))))
	sent := text("question")
	func() {
		defer func() { recover() }()
		stanchhttp.New(d, base(func(r *http.Request) (*http.Response, error) {
			r.Body.Close()
			return answer(r, 200, body), nil
		}), stanchhttp.Options{}).RoundTrip(newRequest(t, t.Context(), "PUT", "http://shop/", sent))
		t.Error("no panic")
	}()
	if body.closed.Load() == 0 || sent.closed.Load() == 0 || places(d) != 0 {
		t.Errorf("closed %d %d, places %d", body.closed.Load(), sent.closed.Load(), places(d))
	}
}

func TestBrokenBase(t *testing.T) {
	_, err := stanchhttp.New(guard(t), base(func(*http.Request) (*http.Response, error) { return nil, nil }), stanchhttp.Options{}).
		RoundTrip(newRequest(t, t.Context(), "GET", "http://shop/", nil))
	if err == nil {
		t.Error("neither an answer nor an error")
	}
	r := newRequest(t, t.Context(), "GET", "http://shop/", nil)
	r.Header = nil
	resp, err := stanchhttp.New(guard(t), base(func(r *http.Request) (*http.Response, error) { return answer(r, 200, nil), nil }), stanchhttp.Options{}).RoundTrip(r)
	if err != nil || resp.Body == nil {
		t.Errorf("%v, body %v, want one that can be closed", err, resp.Body)
	}
}

func TestRewindFails(t *testing.T) {
	lost := errors.New("the file is gone")
	var answers []*tracked
	r := newRequest(t, t.Context(), "PUT", "http://shop/", strings.NewReader("x"))
	r.GetBody = func() (io.ReadCloser, error) { return nil, lost }
	_, err := stanchhttp.New(guard(t), base(func(r *http.Request) (*http.Response, error) {
		answers = append(answers, text("busy"))
		return answer(r, 503, answers[len(answers)-1]), nil
	}), stanchhttp.Options{}).RoundTrip(r)
	if !errors.Is(err, lost) || len(answers) != 1 || answers[0].closed.Load() == 0 {
		t.Errorf("%v after %d attempts", err, len(answers))
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		status int
		method string
		key    string
		want   outcome.Verdict
		isErr  bool
	}{
		{status: 200, method: "GET"},
		{status: 304, method: "GET"},
		{status: 404, method: "GET", isErr: true},
		{status: 503, method: "GET", isErr: true, want: outcome.Verdict{Outcome: outcome.Failure, Retry: true, After: 2 * time.Second, HasAfter: true}},
		{status: 503, method: "POST", isErr: true, want: outcome.Verdict{Outcome: outcome.Failure, After: 2 * time.Second, HasAfter: true}},
		{status: 503, method: "POST", key: "k", isErr: true, want: outcome.Verdict{Outcome: outcome.Failure, Retry: true, After: 2 * time.Second, HasAfter: true}},
	} {
		r := httptest.NewRequest(c.method, "/", nil)
		if c.key != "" {
			r.Header.Set("Idempotency-Key", c.key)
		}
		err := stanchhttp.Check(answer(r, c.status, text(""), "Retry-After", "2"))
		if (err != nil) != c.isErr {
			t.Errorf("%s %d: error %v", c.method, c.status, err)
			continue
		}
		if got := outcome.Classify(err); got != c.want {
			t.Errorf("%s %d: verdict %+v, want %+v", c.method, c.status, got, c.want)
		}
		if e, ok := errors.AsType[*stanchhttp.StatusError](err); ok && e.StatusCode != c.status {
			t.Errorf("status %d, want %d", e.StatusCode, c.status)
		}
	}
}
