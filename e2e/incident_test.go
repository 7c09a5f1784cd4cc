package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// An answer is what a client that knows nothing of Stanch got.
type answer struct {
	Status  int
	Source  string
	Body    string
	Seconds float64
}

// The service is a Python program that calls its dependency without a timeout.
// With a policy of fifteen lines, checked before it runs, it lives through the
// stall of its dependency; without, it hangs.
func TestIncidentPython(t *testing.T) {
	python := python(t)
	dependency := newStalling(`["for you"]`)
	url := serve(t, dependency)

	s := place(t)
	text, err := os.ReadFile("testdata/policy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n != 15 {
		t.Errorf("the policy has %d lines", n)
	}
	s.replace(text)
	if out, code := output(t, nil, stanch, "check", s.file); code != 0 || !strings.Contains(out, "nothing found") {
		t.Errorf("check: %d %s", code, out)
	}
	s.start(t, []string{"EGRESS=0", "ADMIN=unix:" + s.socket, "RECOMMEND=" + host(url)})

	guarded := newClient(t, python, url, "HTTP_PROXY="+s.URL)
	bare := newClient(t, python, url)
	for range 3 {
		guarded.all(t, 8, 200, "live", `["for you"]`, bound)
		bare.all(t, 8, 200, "", `["for you"]`, bound)
	}

	dependency.stall()
	bare.send(t, 8)
	for range 10 { // each attempt may take 300 ms, and the call 600 ms
		guarded.all(t, 8, 200, "last_good", `["for you"]`, 3*time.Second)
	}
	if got := bare.got(); got != 24 {
		t.Errorf("without the sidecar %d requests were answered, want the 24 from before the stall", got)
	}

	// The policy is changed while it runs.
	n := len(s.out.since(0))
	s.replace([]byte(strings.Replace(string(text), "{last_good: {max_age: 10m}, empty: array}", "{empty: array}", 1)))
	until(t, "the changed policy is in force", func() bool { return s.out.has(n, "policy in force", "recommend: changed") })
	for range 3 {
		guarded.all(t, 8, 200, "empty", "[]", 3*time.Second)
	}

	dependency.recover()
	until(t, "the answers are live again", func() bool {
		a := guarded.round(t, 1)[0]
		if a.Status != 200 {
			t.Fatalf("got %+v", a)
		}
		return a.Source == "live"
	})
}

// The same with curl, which has no time limit of its own either.
func TestIncidentCurl(t *testing.T) {
	curl := need(t, "curl")
	dependency := newStalling(`["for you"]`)
	url := serve(t, dependency)
	s := guard(t, fmt.Sprintf("recommend: {class: optional_read, url: %q, fallback: {last_good: {max_age: 10m}}}", url))

	get := func() answer {
		began := time.Now()
		out, code := output(t, []string{"http_proxy=" + s.URL}, curl, "-sS", "-o", "-", "-w", `\n%{http_code} %header{stanch-source}`, url+"/x")
		if code != 0 {
			t.Fatalf("curl: %d %s", code, out)
		}
		body, rest, _ := strings.Cut(out, "\n")
		status, source, _ := strings.Cut(rest, " ")
		n, _ := strconv.Atoi(status)
		return answer{n, source, body, time.Since(began).Seconds()}
	}
	check := func(source string) {
		t.Helper()
		if a := get(); a.Status != 200 || a.Source != source || a.Body != `["for you"]` || a.Seconds > 3 {
			t.Errorf("got %+v, want it from %s", a, source)
		}
	}
	check("live")
	dependency.stall()
	bare := run(t, nil, curl, "-sS", url+"/x")
	for range 5 {
		check("last_good")
	}
	select {
	case <-bare.done:
		t.Error("without the sidecar there was an answer: ", bare.out.String())
	default:
	}
	dependency.recover()
	until(t, "the answers are live again", func() bool { return get().Source == "live" })
}

// A client is the Python program.
type client struct {
	*process
	read int
}

func newClient(t *testing.T, python, url string, env ...string) *client {
	t.Helper()
	return &client{process: run(t, env, python, "testdata/client.py", url+"/for/7")}
}

func (c *client) send(t *testing.T, n int) {
	t.Helper()
	if _, err := fmt.Fprintln(c.in, n); err != nil {
		t.Fatal(err)
	}
}

func (c *client) got() int { return len(c.out.since(0)) }

// round makes n requests at once and returns their answers.
func (c *client) round(t *testing.T, n int) []answer {
	t.Helper()
	c.send(t, n)
	until(t, "the client has its answers", func() bool { return c.got() >= c.read+n })
	var all []answer
	for _, line := range c.out.since(c.read) {
		var a answer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%v: %s", err, c.out.String())
		}
		all = append(all, a)
	}
	c.read += n
	return all
}

// all makes a round all of whose answers have to be the same, each within a time.
func (c *client) all(t *testing.T, n, status int, source, body string, within time.Duration) {
	t.Helper()
	for _, a := range c.round(t, n) {
		if a.Status != status || a.Source != source || a.Body != body || a.Seconds > within.Seconds() {
			t.Errorf("got %+v, want %d from %q within %v", a, status, source, within)
		}
	}
}
