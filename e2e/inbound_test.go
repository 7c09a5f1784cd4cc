package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// before runs a sidecar in front of a service, with a section inbound, and returns
// the URL of its ingress.
func before(t *testing.T, service, section string) (*sidecar, string) {
	t.Helper()
	s := place(t)
	text := fmt.Sprintf("version: 1\nservice: {name: shop}\nlisten: {egress: \"127.0.0.1:0\", admin: \"unix:%s\", ingress: {address: \"127.0.0.1:0\", to: %q}}\ninbound:\n%s",
		s.socket, service, section)
	if err := os.WriteFile(s.file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.start(t, nil)
	address := ""
	until(t, "it says where its ingress is", func() bool {
		for _, line := range s.out.since(0) {
			var l struct{ Ingress string }
			if json.Unmarshal([]byte(line), &l) == nil && l.Ingress != "" {
				address = l.Ingress
			}
		}
		return address != ""
	})
	return s, "http://" + address
}

// A crowd is what came of requests by kind.
type crowd struct {
	mu      sync.Mutex
	asked   map[string]int
	served  map[string]int
	refused []time.Duration // how long each refusal took
	faults  []string
}

func (c *crowd) send(client *http.Client, url, kind string, headers ...string) {
	r, err := http.NewRequest("GET", url, nil)
	if err != nil {
		panic(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	begin := time.Now()
	resp, err := client.Do(r)
	took := time.Since(begin)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked[kind]++
	if err != nil {
		c.faults = append(c.faults, err.Error())
		return
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	h := resp.Header
	if h.Get("RateLimit") == "" || h.Get("RateLimit-Policy") == "" {
		c.faults = append(c.faults, fmt.Sprintf("%d without a word on limits: %v", resp.StatusCode, h))
	}
	if resp.StatusCode == 200 {
		c.served[kind]++
		return
	}
	c.refused = append(c.refused, took)
	if h.Get("Stanch-Refused") == "" || h.Get("Retry-After") == "" {
		c.faults = append(c.faults, fmt.Sprintf("%d without a reason: %v", resp.StatusCode, h))
	}
}

func newCrowd() *crowd { return &crowd{asked: map[string]int{}, served: map[string]int{}} }

func sum(m map[string]int) (n int) {
	for _, x := range m {
		n += x
	}
	return n
}

// Five times as much is asked of a service as it can do: it goes on doing what it
// can, the important first, and everybody else is told so at once. They name no
// user and come from one address, as from a load balancer.
func TestOverload(t *testing.T) {
	const workers, work, length = 4, 40 * time.Millisecond, 4 * time.Second // 100 a second
	places := make(chan struct{}, workers)
	service := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		places <- struct{}{}
		defer func() { <-places }()
		<-time.After(work)
		io.WriteString(w, "well")
	}))
	_, url := before(t, service, `
  limits: {all: {rate: 100000}}
  priorities: {trust: true}
  concurrency: {limit: 4}
`)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}, Timeout: bound}
	defer client.CloseIdleConnections()
	c := newCrowd()
	var all sync.WaitGroup
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	began := time.Now()
	for i := 0; time.Since(began) < length; i++ {
		kind := "sheddable"
		if i%10 == 0 {
			kind = "critical-plus"
		}
		all.Go(func() { c.send(client, url, kind, "X-Criticality", kind) })
		<-tick.C
	}
	all.Wait()
	took := time.Since(began)
	if len(c.faults) > 0 {
		t.Fatalf("%d faults: %s", len(c.faults), c.faults[0])
	}
	capacity := float64(workers) * took.Seconds() / work.Seconds()
	slices.Sort(c.refused)
	t.Logf("asked %v, served %v, of a capacity of %.0f; %d refused, the median after %v", c.asked, c.served, capacity, len(c.refused), c.refused[len(c.refused)/2])
	if got := float64(sum(c.served)); got < 0.75*capacity {
		t.Errorf("served %v of %.0f", got, capacity)
	}
	if got, of := c.served["critical-plus"], c.asked["critical-plus"]; float64(got) < 0.9*float64(of) {
		t.Errorf("served %d of %d important ones", got, of)
	}
	if got := c.refused[len(c.refused)/2]; got > 100*time.Millisecond {
		t.Errorf("a refusal took %v", got)
	}
}

// redis runs a server without any file, and returns its URL.
func redis(t *testing.T) string {
	t.Helper()
	path := need(t, "redis-server")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	l.Close()
	run(t, nil, path, "--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", t.TempDir())
	until(t, "redis-server answers", func() bool {
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			return false
		}
		defer c.Close()
		return true
	})
	return "redis://127.0.0.1:" + port
}

// Two sidecars share what a tenant may ask for, and one that ends gives back what
// it had taken and not spent.
func TestSharedQuota(t *testing.T) {
	const quota = 100
	section := fmt.Sprintf(`
  identity: {tenant: X-Tenant}
  quotas: {tenant: {mode: leased, by: tenant, rate: %d, window: 8000h, on_failure: closed, timeout: 1s, store: %q}}
`, quota, redis(t))
	service := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "well") }))
	one, first := before(t, service, section)
	_, second := before(t, service, section)
	client := &http.Client{Timeout: bound}
	defer client.CloseIdleConnections()
	c := newCrowd()
	spend := func(url string, until int) {
		t.Helper()
		for end := time.Now().Add(bound); sum(c.served) < until && time.Now().Before(end); {
			c.send(client, url, url, "X-Tenant", "acme")
		}
	}
	spend(first, 10)
	spend(second, 20)
	client.CloseIdleConnections()
	one.signal(syscall.SIGTERM)
	one.wait()
	spend(second, quota)
	if len(c.faults) > 0 {
		t.Fatalf("%d faults: %s", len(c.faults), c.faults[0])
	}
	if got := sum(c.served); got != quota {
		t.Fatalf("admitted %d of %d: what the first had taken is lost", got, quota)
	}
	for range 20 {
		c.send(client, second, second, "X-Tenant", "acme")
	}
	if got := sum(c.served); got != quota {
		t.Errorf("admitted %d of %d", got, quota)
	}
}
