package stanchhttp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/stanchhttp"
)

// These play over connections in memory and in virtual time: every duration is
// exact.

func slowGuard(t testing.TB, results *[]stanch.Result, change ...func(*stanch.Config)) *stanch.Dependency {
	cfg := guard(t, change...).Config()
	return stanch.Must(stanch.New("shop", cfg, stanch.WithObserver(stanch.ObserverFunc(func(e stanch.Event) {
		if results != nil && e.Step == stanch.StepAttemptDone {
			*results = append(*results, e.Result)
		}
	}))))
}

func second(c *stanch.Config) { c.Timeout.Attempt, c.Timeout.Total = time.Second, 10*time.Second }

// hang never answers. A server sees that its client has left once it has read
// the request.
func hang(_ http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func TestTimeouts(t *testing.T) {
	for _, c := range []struct {
		method string
		want   int // attempts
	}{{"GET", 3}, {"POST", 1}} {
		t.Run(c.method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var results []stanch.Result
				d := slowGuard(t, &results, second)
				client, stop := serveMemory(d, hang)
				defer stop()
				began := time.Now()
				_, err := client.Do(newRequest(t, t.Context(), c.method, "http://shop/", strings.NewReader("x")))
				if e, ok := errors.AsType[net.Error](err); !ok || !e.Timeout() || !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, stanch.ErrTimeout) {
					t.Errorf("error %v, want a timeout", err)
				}
				if took := time.Since(began).Round(time.Millisecond); took != time.Duration(c.want)*time.Second || len(results) != c.want {
					t.Errorf("%d attempts in %v, want %d, a second each", len(results), took, c.want)
				}
				for _, r := range results {
					if r != stanch.ResultTimeout {
						t.Errorf("result %v, want a timeout", r)
					}
				}
			})
		})
	}
}

func TestACallerThatLeavesIsIgnored(t *testing.T) {
	own := errors.New("the user closed the page")
	for name, leave := range map[string]error{"without a cause": nil, "with a cause": own} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var results []stanch.Result
				d := slowGuard(t, &results, breakerAfter(1))
				client, stop := serveMemory(d, hang)
				defer stop()
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Second, func() { cancel(leave) })
				_, err := client.Do(newRequest(t, ctx, "GET", "http://shop/", nil))
				if !errors.Is(err, context.Cause(ctx)) {
					t.Errorf("error %v, want %v", err, context.Cause(ctx))
				}
				if len(results) != 1 || results[0] != stanch.ResultCallerCanceled || d.Breaker().State() != breaker.Closed {
					t.Errorf("results %v, breaker %v", results, d.Breaker().State())
				}
				if places(d) != 0 {
					t.Error("the place is still taken")
				}
			})
		})
	}
}

// Some transports report the end of the context as the damage it did.
func TestTheEndOfTheContextIsSeenBehindTheDamage(t *testing.T) {
	damage := errors.New("use of closed connection")
	for _, c := range []struct {
		name string
		wait time.Duration
		want []stanch.Result
	}{
		{"the caller left", time.Second, []stanch.Result{stanch.ResultCallerCanceled}},
		{"the time was up", time.Minute, []stanch.Result{stanch.ResultTimeout, stanch.ResultTimeout}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var results []stanch.Result
				d := slowGuard(t, &results, attempts(2))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				time.AfterFunc(c.wait, cancel)
				_, err := stanchhttp.New(d, base(func(r *http.Request) (*http.Response, error) {
					<-r.Context().Done()
					return nil, damage
				}), stanchhttp.Options{}).RoundTrip(newRequest(t, ctx, "GET", "http://shop/", nil))
				if err != damage || !slices.Equal(results, c.want) {
					t.Errorf("%v, results %v, want %v", err, results, c.want)
				}
			})
		})
	}
}

func TestACallerThatLeavesDuringTheBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := slowGuard(t, nil, func(c *stanch.Config) { c.Retry.Base = 5 * time.Second })
		client, stop := serveMemory(d, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
		defer stop()
		ctx, cancel := context.WithCancel(t.Context())
		began := time.Now()
		time.AfterFunc(time.Second, func() {
			if places(d) != 0 {
				t.Error("the backoff holds a place")
			}
			cancel()
		})
		_, err := client.Do(newRequest(t, ctx, "GET", "http://shop/", nil))
		if !errors.Is(err, context.Canceled) || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

func TestRetryAfterIsHeeded(t *testing.T) {
	for _, c := range []struct {
		name  string
		value func() string
		date  func() string
		want  time.Duration
	}{
		{name: "seconds", value: func() string { return "3" }, want: 3 * time.Second},
		{name: "date", value: func() string { return time.Now().Add(4 * time.Second).UTC().Format(http.TimeFormat) }, want: 4 * time.Second},
		{
			name:  "date of a server whose clock is an hour ahead",
			value: func() string { return time.Now().Add(time.Hour + 4*time.Second).UTC().Format(http.TimeFormat) },
			date:  func() string { return time.Now().Add(time.Hour).UTC().Format(http.TimeFormat) },
			want:  4 * time.Second,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				client, stop := serveMemory(slowGuard(t, nil), func(w http.ResponseWriter, _ *http.Request) {
					if calls++; calls == 1 {
						if c.date != nil {
							w.Header().Set("Date", c.date())
						}
						w.Header().Set("Retry-After", c.value())
						w.WriteHeader(503)
					}
				})
				defer stop()
				began := time.Now()
				resp, err := client.Get("http://shop/")
				if err != nil || resp.StatusCode != 200 || calls != 2 {
					t.Fatalf("%v, %v, %d calls", resp, err, calls)
				}
				resp.Body.Close()
				if took := time.Since(began); took != c.want {
					t.Errorf("waited %v, want %v", took, c.want)
				}
			})
		})
	}
}

func TestABodyIsBoundedByTheAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		d := slowGuard(t, nil, second)
		client, stop := serveMemory(d, func(w http.ResponseWriter, r *http.Request) {
			calls++
			io.WriteString(w, "begun")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		})
		defer stop()
		began := time.Now()
		resp, err := client.Get("http://shop/")
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(resp.Body)
		if string(data) != "begun" || !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("%q, %v after %v, want the beginning and a timeout after 1s", data, err, time.Since(began))
		}
		if calls != 1 {
			t.Errorf("%d calls: a body that breaks is not repeated", calls)
		}
		if places(d) != 0 {
			t.Error("the place is still taken")
		}
		resp.Body.Close()
	})
}

func TestReadingAheadIsBoundedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		d := slowGuard(t, nil, func(c *stanch.Config) { c.Timeout.Attempt = 0 })
		client, stop := serveMemory(d, func(w http.ResponseWriter, r *http.Request) {
			if calls++; calls > 1 {
				return
			}
			w.WriteHeader(503)
			for r.Context().Err() == nil { // one byte a second, without end
				io.WriteString(w, ".")
				w.(http.Flusher).Flush()
				select {
				case <-time.After(time.Second):
				case <-r.Context().Done():
				}
			}
		})
		defer stop()
		began := time.Now()
		resp, err := client.Get("http://shop/")
		if err != nil || resp.StatusCode != 200 {
			t.Fatal(resp, err)
		}
		resp.Body.Close()
		if took := time.Since(began).Round(time.Millisecond); took != 100*time.Millisecond {
			t.Errorf("took %v, want the 100ms of reading ahead", took)
		}
	})
}

// Whatever the order in which a body is closed and its context ends, the place
// is given back once.
func TestCloseAndDeadlineAtOnce(t *testing.T) {
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			d := slowGuard(t, nil, second)
			client, stop := serveMemory(d, func(w http.ResponseWriter, r *http.Request) {
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			})
			defer stop()
			resp, err := client.Get("http://shop/")
			if err != nil {
				t.Fatal(err)
			}
			go func() { time.Sleep(time.Second); resp.Body.Close() }()
			io.ReadAll(resp.Body)
			time.Sleep(time.Second)
			synctest.Wait()
			if n := places(d); n != 0 {
				t.Fatalf("%d places taken", n)
			}
		})
	}
}

func TestWholeCallInsideAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := slowGuard(t, nil, second)
		network, stop := serveMemory(d, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) })
		defer stop()
		page := stanch.Must(stanch.New("page", stanch.Config{}))
		a, err := stanch.Ask(t.Context(), page, func(ctx context.Context) (string, error) {
			resp, err := network.Do(newRequest(t, ctx, "GET", "http://shop/", nil))
			if err != nil {
				return "", err
			}
			defer resp.Body.Close()
			return "", stanchhttp.Check(resp)
		}, stanch.Or("stale", func(context.Context) (string, error) { return "yesterday's", nil }))
		if err != nil || a.Source != "stale" || a.Value != "yesterday's" {
			t.Errorf("%+v, %v", a, err)
		}
		if v := outcome.Classify(a.Cause); v.Outcome != outcome.Failure {
			t.Errorf("cause %v", a.Cause)
		}
	})
}
