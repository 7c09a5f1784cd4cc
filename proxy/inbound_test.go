package proxy_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/shed"
)

// taking starts an ingress whose policy has this section inbound.
func taking(t *testing.T, section string, handler http.HandlerFunc) (*sidecar, string) {
	t.Helper()
	return ingress(t, "", "}\ninbound: {"+section, handler)
}

// visit sends a request to the ingress; headers are names and values in turn.
func visit(t *testing.T, url string, headers ...string) got {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return read(t, client(t, ""), req)
}

// counted is how many requests met a fate.
func (s *sidecar) counted(step inbound.Step, reason, by string) (n uint64) {
	for _, c := range s.Status().Inbound.Counts.Requests {
		if c.Step == step && c.Reason.Label() == reason && c.By == by {
			n += c.Requests
		}
	}
	return n
}

func TestInboundLimits(t *testing.T) {
	calls := 0
	s, url := taking(t, "identity: {tenant: x-tenant}, limits: {tenant: {by: tenant, rate: 2, window: 1h}, login: {route: /login, rate: 1, window: 1h}}",
		func(w http.ResponseWriter, r *http.Request) { calls++; io.WriteString(w, r.URL.Path) })
	for _, step := range []struct {
		path, tenant string
		status       int
		refused, by  string
	}{
		{"/login", "a", 200, "", ""},
		{"/login", "a", 429, "rate_limited", "login"},
		{"/", "a", 429, "rate_limited", "tenant"},
		{"/", "b", 200, "", ""},
	} {
		g := visit(t, url+step.path, "X-Tenant", step.tenant)
		source := ""
		if step.status == 200 {
			source = "live"
		}
		g.is(t, step.status, source, step.refused)
		if h := g.Header; !strings.HasPrefix(h.Get("RateLimit-Policy"), `"tenant";q=2;w=3600`) || !strings.HasPrefix(h.Get("RateLimit"), `"tenant";r=`) {
			t.Errorf("%+v: %v", step, h)
		}
		if step.status == 429 {
			if h := g.Header; h.Get("Retry-After") == "" || h.Get("Via") == "" || h.Get("Stanch-Attempts") != "0" || !strings.Contains(g.body, fmt.Sprintf(`"violated-policies":[%q]`, step.by)) {
				t.Errorf("%+v: %v %s", step, h, g.body)
			}
		}
	}
	if n := s.counted(inbound.Refused, "rate_limited", "tenant"); n != 1 || calls != 2 || s.counted(inbound.Admitted, "", "") != 2 {
		t.Errorf("%d refused, %d calls: %+v", n, calls, s.Status().Inbound.Counts)
	}
}

// The place of a request is its own until the answer has ended, and what waits for
// one is counted.
func TestInboundConcurrency(t *testing.T) {
	s, url := taking(t, "deadline: 10s, concurrency: {limit: 1, queue: 1}", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/app/slow" {
			w.WriteHeader(200)
			http.NewResponseController(w).Flush()
			hang(w, r)
		}
	})
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	slow, _ := http.NewRequestWithContext(ctx, "GET", url+"/slow", nil)
	resp, err := client(t, "").Do(slow)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	visit(t, url+"/").is(t, 503, "", "queue_timeout")
	if st := s.Status().Inbound; st.Stats.Shed.InFlight != 1 || st.Stats.Shed.Limit != 1 {
		t.Errorf("%+v", st)
	}
	leave()
	until(t, "the place is free", func() bool { return s.Status().Inbound.Stats.Shed.InFlight == 0 })
	visit(t, url+"/").is(t, 200, "live", "")
	if ended := s.Status().Inbound.Counts.Ended; ended["ignored"] != 1 || ended["success"] != 1 {
		t.Errorf("ended: %v", ended)
	}
}

// What the service is told is what was decided, not what the client says.
func TestInboundPriority(t *testing.T) {
	for _, c := range []struct{ section, path, says, want string }{
		{"priorities: {default: sheddable-plus}", "/", "critical-plus", "sheddable-plus"},
		{"priorities: {trust: true}", "/", "critical-plus", "critical-plus"},
		{"priorities: {trust: true, routes: {/app: sheddable, /export: sheddable}}", "/export", "critical-plus", "sheddable"},
		{"priorities: {trust: true}", "/", "", "critical"},
	} {
		_, url := taking(t, c.section, func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, strings.Join(r.Header.Values(shed.Header), "; "))
		})
		if g := visit(t, url+c.path, shed.Header, c.says); g.body != c.want {
			t.Errorf("%+v: told %q", c, g.body)
		}
	}
}

func TestInboundDeadline(t *testing.T) {
	s, url := taking(t, "deadline: 80ms, min_remaining: 10ms", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/app/stream" { // the time is for the header
			w.WriteHeader(200)
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return
		}
		hang(w, r)
	})
	visit(t, url, deadline.HeaderTimeout, "5").is(t, 504, "", "deadline")
	visit(t, url).is(t, 504, "", "")
	req, _ := http.NewRequestWithContext(t.Context(), "GET", url+"/stream", nil)
	resp, err := client(t, "").Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if n := s.Status().Inbound.Stats.Shed.InFlight; n != 1 {
		t.Errorf("%d in flight", n)
	}
	resp.Body.Close()
	if n := s.counted(inbound.Refused, "deadline", ""); n != 1 {
		t.Errorf("%d refused", n)
	}
}

// A reload keeps what tenants have used, and who is in flight.
func TestInboundReload(t *testing.T) {
	s, url := taking(t, "limits: {all: {rate: 2, window: 1h}}, concurrency: {limit: 9}", func(w http.ResponseWriter, r *http.Request) {})
	visit(t, url).is(t, 200, "live", "")
	old := s.Policy().Effective().Listen
	text := fmt.Sprintf(`
listen: {egress: "127.0.0.1:0", ingress: {address: "127.0.0.1:0", to: %q}}
service: {name: shop}
inbound: {limits: {all: {rate: 2, window: 1h}}, concurrency: {limit: 9}, min_remaining: 1ms}`, old.Ingress.To)
	changes, err := s.Swap(parse(t, text))
	if err != nil || len(changes) != 1 || changes[0] != "inbound: changed" {
		t.Fatalf("%v %v", changes, err)
	}
	visit(t, url).is(t, 200, "live", "")
	visit(t, url).is(t, 429, "", "rate_limited")
	if _, err := s.Swap(parse(t, text[:strings.Index(text, "inbound")])); err != nil {
		t.Fatal(err)
	}
	visit(t, url).is(t, 200, "live", "")
	if s.Status().Inbound != nil {
		t.Error("the section is gone, and its state is not")
	}
}

// A quota whose store is not there does not keep the sidecar from starting, is told
// once, and does as on_failure says.
func TestInboundStoreIsNotThere(t *testing.T) {
	for onFailure, status := range map[string]int{"open": 200, "closed": 503, "local, instances: 1000000": 429} {
		s, url := taking(t, `quotas: {all: {mode: leased, rate: 1, window: 1h, burst: 1000, store: "redis://127.0.0.1:1", on_failure: `+onFailure+`}}`,
			func(w http.ResponseWriter, r *http.Request) {})
		visit(t, url)
		if g := visit(t, url); g.StatusCode != status {
			t.Errorf("%s: %d", onFailure, g.StatusCode)
		}
		until(t, "it is told", func() bool { return strings.Contains(s.log.String(), "does not answer") })
		if n := strings.Count(s.log.String(), "does not answer"); n != 1 {
			t.Errorf("told %d times:\n%s", n, s.log.String())
		}
	}
}
