package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stanch-go/stanch/proxy"
)

func TestSwapKeepsWhatDidNotChange(t *testing.T) {
	dep := &shaky{answer: echo("shop")}
	url := serve(t, dep.serve)
	file := func(extra string) string {
		return fmt.Sprintf("dependencies: {shop: {url: %q, breaker: {consecutive: 1, cooldown: 1h}, fallback: {last_good: {}}}%s}", url, extra)
	}
	s := start(t, file(""))
	s.get("/x").is(t, 200, "live", "")
	dep.down.Store(true)
	s.get("/x").is(t, 200, "last_good", "")
	guard := s.Dependency("shop")

	changes, err := s.Swap(parse(t, file(", pay: {url: 'http://127.0.0.1:1'}")))
	if err != nil || !slices.Equal(changes, []string{"pay: new"}) {
		t.Errorf("changes %q, %v", changes, err)
	}
	if s.Dependency("shop") != guard || s.shop().Breaker != "open" {
		t.Error("the breaker did not live on")
	}
	s.get("/x").is(t, 200, "last_good", "breaker_open")

	// Another setting of the sidecar's alone: the guard and the answers stay.
	text := strings.Replace(file(""), "fallback:", "http: {idle: 7s}, fallback:", 1)
	if changes, err = s.Swap(parse(t, text)); err != nil || !slices.Equal(changes, []string{"shop: changed", "pay: gone"}) {
		t.Errorf("changes %q, %v", changes, err)
	}
	s.get("/x").is(t, 200, "last_good", "breaker_open")

	// Another guard begins anew; what it knows of answers does not change.
	text = strings.Replace(file(""), "cooldown: 1h", "cooldown: 2h", 1)
	if changes, err = s.Swap(parse(t, text)); err != nil || !slices.Equal(changes, []string{"shop: changed, begins anew"}) {
		t.Errorf("changes %q, %v", changes, err)
	}
	s.get("/x").is(t, 200, "last_good", "")
	if d := s.shop(); d.Calls["ok"] != 1 || d.Degraded["last_good"] != 4 {
		t.Errorf("the counts did not live on: %+v", d)
	}
	if n := len(s.Events().Since(0)); n != 5 { // three reloads, two openings
		t.Errorf("%d events: %+v", n, s.Events().Since(0))
	}
}

// A policy that cannot be put in force changes nothing, and all its faults are
// told.
func TestSwapRefuses(t *testing.T) {
	s := one(t, "", echo("shop"))
	hash := s.Status().Policy.Hash
	_, err := s.Swap(parse(t, `dependencies: {a: {url: "https://a", tls: {ca: /nowhere/ca}}, b: {url: "https://b", tls: {cert: /nowhere/c, key: /nowhere/k}}}`))
	if err == nil || !strings.Contains(err.Error(), "dependencies.a.tls.ca: ") || !strings.Contains(err.Error(), "dependencies.b.tls.cert: ") {
		t.Fatalf("got %v", err)
	}
	s.get("/").is(t, 200, "live", "")
	if st := s.Status(); st.Policy.Hash != hash || !strings.Contains(st.Policy.Fault, "tls.ca") || s.Dependency("a") != nil {
		t.Errorf("status %+v", st.Policy)
	}
	if e := s.Events().Since(0); len(e) != 1 || e[0].Kind != proxy.KindRejected {
		t.Errorf("events %+v", e)
	}
	if _, err := s.Swap(s.Policy()); err != nil || s.Status().Policy.Fault != "" {
		t.Error("a good one does not take the fault away")
	}
}

// A request that is in flight ends as it began.
func TestSwapLeavesRequestsInFlight(t *testing.T) {
	began, go_on := make(chan bool), make(chan bool)
	s := one(t, "timeout: {attempt: 10s}", func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		began <- true
		<-go_on
		io.WriteString(w, "whole")
	})
	ended := make(chan got)
	go func() { ended <- s.get("/") }()
	<-began
	if _, err := s.Swap(parse(t, `dependencies: {other: {url: "http://127.0.0.1:1"}}`)); err != nil {
		t.Fatal(err)
	}
	if g := s.get("/"); g.StatusCode != 403 {
		t.Errorf("what is gone answers %d", g.StatusCode)
	}
	close(go_on)
	if g := <-ended; g.StatusCode != 200 || g.body != "whole" {
		t.Errorf("got %d %q", g.StatusCode, g.body)
	}
}

// Not one request fails while policies change all the time.
func TestSwapUnderLoad(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) })
	file := func(i int) string {
		return fmt.Sprintf("dependencies: {shop: {url: %q, timeout: {attempt: %ds}, bulkhead: {limit: %d}, breaker: {consecutive: 5}}}", url, 10+i%3, 100+i%2)
	}
	s := start(t, file(0))
	var load sync.WaitGroup
	var answered, failed atomic.Int64
	stop := make(chan struct{})
	for range 8 {
		load.Go(func() {
			c := &http.Client{Transport: &http.Transport{}, Timeout: 10 * time.Second}
			defer c.CloseIdleConnections()
			for {
				select {
				case <-stop:
					return
				default:
				}
				resp, err := c.Post(s.URL+"/shop/", "text/plain", strings.NewReader("hello"))
				if err != nil {
					failed.Add(1)
					t.Error(err)
					return
				}
				body, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if err != nil || string(body) != "hello" || resp.StatusCode != 200 {
					failed.Add(1)
					t.Errorf("%v: %d %q", err, resp.StatusCode, body)
				}
				answered.Add(1)
			}
		})
	}
	for i := range 50 {
		if _, err := s.Swap(parse(t, file(i))); err != nil {
			t.Fatal(err)
		}
		<-time.After(5 * ms)
	}
	close(stop)
	load.Wait()
	if answered.Load() < 50 || failed.Load() > 0 {
		t.Errorf("%d answered, %d failed", answered.Load(), failed.Load())
	}
	t.Logf("%d requests during 50 swaps", answered.Load())
}
