package stanchhttp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/quota"
	"github.com/stanch-go/stanch/shed"
	"github.com/stanch-go/stanch/stanchhttp"
)

// told remembers what an observer was told.
type told struct {
	mu  sync.Mutex
	all []inbound.Event
}

func (e *told) ObserveInbound(x inbound.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, x)
}

// ended is what came of the requests that were worked on.
func (e *told) ended() (all []outcome.Outcome) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, x := range e.all {
		if x.Step == inbound.Ended {
			all = append(all, x.Outcome)
		}
	}
	return all
}

func controller(t testing.TB, cfg inbound.Config, options ...inbound.Option) *inbound.Controller {
	t.Helper()
	c, err := inbound.New("shop", cfg, options...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// places1 has room for one request.
var places1 = inbound.Concurrency{Config: shed.Config{Limit: 1}}

func perMinute(n float64) inbound.Limit {
	return inbound.Limit{Name: "tenant", By: inbound.Tenant, Rate: n, Window: time.Minute}
}

func ok(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "well") }

// ask sends a request to a handler; headers are names and values in turn.
func ask(h http.Handler, method, target string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

type brokenStore struct{}

func (brokenStore) Take(context.Context, []quota.Take, []quota.Grant) error {
	return errors.New("no redis")
}

// Each refusal has its status, its reason, its headers and its body.
func TestInboundRefusals(t *testing.T) {
	closed, err := quota.NewCentral(quota.Config{Mode: quota.ModeCentral, Rate: 1, OnFailure: quota.FailClosed}, brokenStore{})
	if err != nil {
		t.Fatal(err)
	}
	late := []string{deadline.HeaderTimeout, "1"}
	for _, c := range []struct {
		name     string
		cfg      inbound.Config
		headers  []string
		options  []inbound.Option
		status   int
		reason   string
		grpc     string
		violated string
		retry    bool
	}{
		{name: "rate", cfg: inbound.Config{Limits: []inbound.Limit{perMinute(1)}}, status: 429, reason: "rate_limited", grpc: "8", violated: "tenant", retry: true},
		{name: "quota", cfg: inbound.Config{Quotas: []inbound.Quota{{Name: "all", Config: quota.Config{Rate: 1, Window: time.Minute}}}}, status: 429, reason: "quota", grpc: "8", violated: "all", retry: true},
		{name: "quota without its store", cfg: inbound.Config{Quotas: []inbound.Quota{{Name: "all", Config: quota.Config{Mode: quota.ModeCentral, Rate: 1, OnFailure: quota.FailClosed}}}},
			options: []inbound.Option{inbound.WithQuota("all", closed)}, status: 503, reason: "quota", grpc: "14", violated: "all", retry: true},
		{name: "no place", cfg: inbound.Config{Concurrency: places1}, status: 503, reason: "queue_timeout", grpc: "14", retry: true},
		{name: "late", cfg: inbound.Config{MinRemaining: time.Second}, headers: late, status: 504, reason: "deadline", grpc: "4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				control := controller(t, c.cfg, c.options...)
				inner := 0
				h := stanchhttp.Inbound(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if inner++; inner > 1 {
						t.Fatal("a request came in that should be refused")
					}
					w.WriteHeader(201)
				}), control, stanchhttp.InboundOptions{})
				if c.name == "no place" {
					a, err := control.Admit(t.Context(), inbound.Request{})
					if err != nil {
						t.Fatal(err)
					}
					defer a.Done(outcome.Success)
				} else if c.headers == nil {
					ask(h, "GET", "/") // takes what there is
				}
				w := ask(h, "POST", "/", c.headers...)
				if w.Code != c.status || w.Header().Get("Stanch-Refused") != c.reason || w.Header().Get("Content-Type") != "application/problem+json" {
					t.Errorf("%d %v", w.Code, w.Header())
				}
				if got := w.Header().Get("Retry-After"); (got != "") != c.retry {
					t.Errorf("Retry-After %q", got)
				}
				var p struct {
					Type, Title, Detail, Reason string
					Status                      int
					Violated                    []string `json:"violated-policies"`
				}
				if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Status != c.status || p.Reason != c.reason || p.Detail == "" || strings.Join(p.Violated, "") != c.violated {
					t.Errorf("%v: %s", err, w.Body)
				}
				plain := ask(h, "GET", "/", append([]string{"Accept", "text/html"}, c.headers...)...)
				if got := plain.Header().Get("Content-Type"); got != "text/plain; charset=utf-8" || !strings.HasSuffix(plain.Body.String(), ".\n") {
					t.Errorf("in words: %q %q", got, plain.Body)
				}
				g := ask(h, "POST", "/", append([]string{"Content-Type", "application/grpc"}, c.headers...)...)
				if g.Code != 200 || g.Header().Get("Grpc-Status") != c.grpc || g.Header().Get("Grpc-Message") == "" || g.Body.Len() != 0 {
					t.Errorf("gRPC: %d %v %s", g.Code, g.Header(), g.Body)
				}
			})
		})
	}
}

// Every answer tells of the limits that the request came to, from the decision
// that was made for it.
func TestRateLimitHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		control := controller(t, inbound.Config{Limits: []inbound.Limit{
			perMinute(100),
			{Name: "login", Route: "/login", Rate: 2, Window: 30 * time.Second},
		}})
		h := stanchhttp.Inbound(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/own":
				w.Header().Set("RateLimit", `"mine";r=1;t=1`)
			}
			if r.URL.Path != "/silent" {
				io.WriteString(w, "well")
			}
		}), control, stanchhttp.InboundOptions{Tenant: "X-Tenant"})
		for _, step := range []struct {
			path, policy, limit, after string
			status                     int
		}{
			{"/", `"tenant";q=100;w=60`, `"tenant";r=99;t=1`, "", 200},
			{"/silent", `"tenant";q=100;w=60`, `"tenant";r=98;t=2`, "", 200},
			{"/own", "", `"mine";r=1;t=1`, "", 200},
			{"/login", `"tenant";q=100;w=60, "login";q=2;w=30`, `"tenant";r=96;t=3, "login";r=1;t=15`, "", 200},
			{"/x/../login/", `"tenant";q=100;w=60, "login";q=2;w=30`, `"tenant";r=95;t=3, "login";r=0;t=30`, "", 200},
			{"//login", `"tenant";q=100;w=60, "login";q=2;w=30`, `"tenant";r=94;t=4, "login";r=0;t=30`, "15", 429},
		} {
			w := ask(h, "GET", "http://shop"+step.path, "X-Tenant", "a")
			if got := w.Header(); w.Code != step.status || got.Get("RateLimit-Policy") != step.policy || got.Get("RateLimit") != step.limit || got.Get("Retry-After") != step.after {
				t.Errorf("%s: %d %v", step.path, w.Code, got)
			}
		}
	})
}

// Windows are told in whole seconds, never as more than there is.
func TestRateLimitPolicy(t *testing.T) {
	for _, c := range []struct {
		rate   float64
		window time.Duration
		want   string
	}{
		{100, time.Minute, "q=100;w=60"},
		{10, 100 * time.Millisecond, "q=100;w=1"},
		{0.5, time.Second, "q=1;w=2"},
		{3, 1500 * time.Millisecond, "q=4;w=2"},
		{1e12, time.Millisecond, "q=999999999999999;w=1"},
		{1e-9, time.Second, "q=1;w=1000000000"},
	} {
		control := controller(t, inbound.Config{Limits: []inbound.Limit{{Name: "all", Rate: c.rate, Window: c.window}}})
		w := ask(stanchhttp.Inbound(http.HandlerFunc(ok), control, stanchhttp.InboundOptions{}), "GET", "/")
		if got := w.Header().Get("RateLimit-Policy"); got != `"all";`+c.want {
			t.Errorf("%v in %v: %s, want %s", c.rate, c.window, got, c.want)
		}
	}
}

// Whose limit a request draws on.
func TestInboundAddress(t *testing.T) {
	for _, c := range []struct {
		remote, forwarded string
		trust             bool
		want              string
	}{
		{remote: "192.0.2.7:1234", want: "192.0.2.7"},
		{remote: "[2001:db8:1:2:3::4]:1234", want: "2001:db8:1:2::/64"},
		{remote: "[::ffff:192.0.2.7]:1234", want: "192.0.2.7"},
		{remote: "[fe80::1%eth0]:1234", want: "fe80::/64"},
		{remote: "@", want: "@"},
		{remote: "192.0.2.7:1", forwarded: "198.51.100.1", want: "192.0.2.7"},
		{remote: "192.0.2.7:1", forwarded: "10.0.0.1, 198.51.100.1", trust: true, want: "198.51.100.1"},
		{remote: "192.0.2.7:1", forwarded: "[2001:db8::5]:80", trust: true, want: "2001:db8::/64"},
		{remote: "192.0.2.7:1", forwarded: "198.51.100.1:80", trust: true, want: "198.51.100.1"},
		{remote: "192.0.2.7:1", forwarded: "unknown", trust: true, want: "192.0.2.7"},
		{remote: "192.0.2.7:1", trust: true, want: "192.0.2.7"},
	} {
		control := controller(t, inbound.Config{Limits: []inbound.Limit{{Name: "address", By: inbound.Address, Rate: 1, Window: time.Hour}}})
		if _, err := control.Admit(t.Context(), inbound.Request{Address: c.want}); err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.remote
		if c.forwarded != "" {
			r.Header.Add("X-Forwarded-For", "203.0.113.9")
			r.Header.Add("X-Forwarded-For", c.forwarded)
		}
		w := httptest.NewRecorder()
		stanchhttp.Inbound(http.HandlerFunc(ok), control, stanchhttp.InboundOptions{TrustForwarded: c.trust}).ServeHTTP(w, r)
		if w.Code != 429 {
			t.Errorf("%+v: its limit is not that of %s", c, c.want)
		}
	}
}

// A token is a tenant by its hash, and another token another one.
func TestLongIdentities(t *testing.T) {
	control := controller(t, inbound.Config{Limits: []inbound.Limit{perMinute(1)}})
	h := stanchhttp.Inbound(http.HandlerFunc(ok), control, stanchhttp.InboundOptions{Tenant: "authorization"})
	token := strings.Repeat("x", 3000)
	for _, step := range []struct {
		value  string
		status int
	}{{token + "a", 200}, {token + "b", 200}, {token + "a", 429}} {
		if w := ask(h, "GET", "/", "Authorization", step.value); w.Code != step.status {
			t.Errorf("…%s: %d", step.value[3000:], w.Code)
		}
	}
}

// What the handler, and the calls that it makes, are told.
func TestInboundContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		control := controller(t, inbound.Config{Deadline: 2 * time.Second, Priorities: inbound.Priorities{Trust: true}})
		for _, streams := range []bool{false, true} {
			var sent http.Header
			d := stanch.Must(stanch.New("next", stanch.Config{}))
			client := &http.Client{Transport: stanchhttp.New(d, base(func(r *http.Request) (*http.Response, error) {
				sent = r.Header
				return answer(r, 200, text("")), nil
			}), stanchhttp.Options{})}
			h := stanchhttp.Inbound(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				a := stanchhttp.AdmissionOf(r.Context())
				if end, ok := a.Deadline(); !ok || time.Until(end) != 1500*time.Millisecond {
					t.Error("the admission has another end")
				}
				if _, ok := r.Context().Deadline(); ok == streams {
					t.Errorf("streams %v, and a deadline: %v", streams, ok)
				}
				if n := deadline.AttemptOf(r.Context()); n != 2 {
					t.Errorf("attempt %d", n)
				}
				if resp, err := client.Do(newRequest(t, r.Context(), "GET", "http://next/", nil)); err != nil {
					t.Error(err)
				} else {
					resp.Body.Close()
				}
			}), control, stanchhttp.InboundOptions{Streams: streams})
			ask(h, "GET", "/", deadline.HeaderTimeout, "1500", deadline.HeaderAttempt, "2", shed.Header, "sheddable")
			if sent.Get(shed.Header) != "sheddable" || sent.Get(deadline.HeaderAttempt) != "2" {
				t.Errorf("the next one was told %v", sent)
			}
		}
	})
	if stanchhttp.AdmissionOf(t.Context()) != nil {
		t.Error("an admission out of nothing")
	}
}

// What came of the work, however it ended, and that its place is free again.
func TestInboundOutcome(t *testing.T) {
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		want    outcome.Outcome
		panics  bool
	}{
		{name: "well", handler: ok, want: outcome.Success},
		{name: "nothing written", handler: func(http.ResponseWriter, *http.Request) {}, want: outcome.Success},
		{name: "not found", handler: http.NotFound, want: outcome.Success},
		{name: "500", handler: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, want: outcome.Failure},
		{name: "100 and 503", handler: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(103); w.WriteHeader(503) }, want: outcome.Failure},
		{name: "panic", handler: func(http.ResponseWriter, *http.Request) { panic("no") }, want: outcome.Failure, panics: true},
		{name: "abort", handler: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, want: outcome.Failure, panics: true},
		{name: "time over", handler: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, want: outcome.Failure},
		{name: "events", handler: func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "text/event-stream") }, want: outcome.Ignored},
		{name: "gRPC", handler: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/grpc")
			w.WriteHeader(200)
			w.Header().Set(http.TrailerPrefix+"Grpc-Status", "14")
		}, want: outcome.Failure},
		{name: "gRPC, well", handler: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/grpc")
			w.Header().Set("Grpc-Status", "5")
		}, want: outcome.Success},
		{name: "done early", handler: func(w http.ResponseWriter, r *http.Request) {
			stanchhttp.AdmissionOf(r.Context()).Done(outcome.Ignored)
		}, want: outcome.Ignored},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				seen := &told{}
				control := controller(t, inbound.Config{Deadline: time.Second, Concurrency: places1}, inbound.WithObserver(seen))
				func() {
					defer func() {
						if p := recover(); (p != nil) != c.panics {
							t.Errorf("panic %v", p)
						}
					}()
					ask(stanchhttp.Inbound(c.handler, control, stanchhttp.InboundOptions{}), "GET", "/")
				}()
				if got := seen.ended(); !slices.Equal(got, []outcome.Outcome{c.want}) || control.Stats().Shed.InFlight != 0 {
					t.Errorf("%v, want %v; %d in flight", got, c.want, control.Stats().Shed.InFlight)
				}
			})
		})
	}
}

// A client that leaves is not an outcome of the work.
func TestInboundClientLeaves(t *testing.T) {
	seen := &told{}
	control := controller(t, inbound.Config{Concurrency: places1}, inbound.WithObserver(seen))
	ctx, leave := context.WithCancel(t.Context())
	h := stanchhttp.Inbound(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leave()
		<-r.Context().Done()
		w.WriteHeader(503)
	}), control, stanchhttp.InboundOptions{})
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/", nil))
	if got := seen.ended(); !slices.Equal(got, []outcome.Outcome{outcome.Ignored}) {
		t.Errorf("%v", got)
	}
}
