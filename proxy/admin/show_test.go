package admin_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/internal/golden"
	"github.com/stanch-go/stanch/policy"
	"github.com/stanch-go/stanch/proxy"
)

func TestHealth(t *testing.T) {
	s := start(t, everything)
	if w := s.ask("GET", "/healthz", ""); w.Code != 200 || w.Body.String() != "ok\n" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := s.ask("GET", "/readyz", ""); w.Code != 200 || w.Body.String() != "ready\n" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	s.Reject(errors.New("policy.yaml:3:7: dependencies.shop: bad"))
	if w := s.ask("GET", "/readyz", ""); w.Code != 200 || !strings.Contains(w.Body.String(), "policy.yaml:3:7: dependencies.shop: bad") {
		t.Errorf("a policy that was refused must be told, and nothing else: %d %s", w.Code, w.Body)
	}
	if err := s.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if w := s.ask("GET", "/readyz", ""); w.Code != 503 || w.Body.String() != "draining\n" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := s.ask("GET", "/healthz", ""); w.Code != 200 {
		t.Errorf("whoever drains is alive: %d", w.Code)
	}
}

func TestPolicy(t *testing.T) {
	s := start(t, everything)
	w := s.ask("GET", "/policy", "")
	first := w.Body.String()
	if _, err := policy.Parse("shown.yaml", w.Body.Bytes()); err != nil {
		t.Errorf("what is shown is no policy: %v", err)
	}
	if !strings.HasPrefix(first, "# In force since 2") || !strings.Contains(first, "hash "+s.Policy().Hash) {
		t.Error(first)
	}
	s.Reject(errors.New("policy.yaml:3:7: one\npolicy.yaml:4:1: two"))
	if w := s.ask("GET", "/policy", ""); !strings.Contains(w.Body.String(), "#   policy.yaml:3:7: one\n#   policy.yaml:4:1: two\n") {
		t.Error(w.Body)
	} else if _, err := policy.Parse("shown.yaml", w.Body.Bytes()); err != nil {
		t.Errorf("with a rejection it is no policy: %v", err)
	}
	var got struct {
		Since    string
		Rejected struct {
			At     string
			Faults []string
		}
		InForce struct {
			Hash   string
			Policy struct{ Version int }
		} `json:"in_force"`
	}
	s.get("/policy", &got, "Accept", "application/json")
	if got.InForce.Hash != s.Policy().Hash || got.InForce.Policy.Version != 1 || len(got.Rejected.Faults) != 2 || got.Since == "" {
		t.Errorf("%+v", got)
	}
	// A good one mends it, and is in force from then on.
	if _, err := s.Swap(load(t, everything+"allow: []\n")); err != nil {
		t.Fatal(err)
	}
	if w := s.ask("GET", "/policy", ""); strings.Contains(w.Body.String(), "refused") || !strings.Contains(w.Body.String(), s.Policy().Hash) {
		t.Error(w.Body)
	}
}

// The names of the status document are part of the interface.
func TestStatusNames(t *testing.T) {
	s := start(t, everything)
	s.Reject(errors.New("bad"))
	if w := s.ask("POST", "/faults/shop", "kind=abort"); w.Code != 200 {
		t.Fatal(w.Body)
	}
	var got any
	s.get("/status", &got)
	names := map[string]string{}
	walk("", got, names)
	for _, name := range []string{"dependencies[].fault.delay"} { // of another kind of fault
		names[name] = "text"
	}
	var list strings.Builder
	for _, name := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintf(&list, "%s %s\n", name, names[name])
	}
	golden.Check(t, "testdata/status.golden", list.String())
	doc, err := os.ReadFile("../../docs/admin.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range names {
		name = strings.TrimSuffix(name, ".LABEL")
		if last := name[strings.LastIndex(name, ".")+1:]; !strings.Contains(string(doc), "`"+strings.TrimSuffix(last, "[]")) {
			t.Errorf("docs/admin.md does not tell of %s", name)
		}
	}
}

// walk lists the names of a document with their kinds. The keys below what is
// counted by label are one name.
func walk(path string, x any, names map[string]string) {
	switch x := x.(type) {
	case map[string]any:
		for name, v := range x {
			if _, counted := v.(float64); counted && slices.Contains([]string{"calls", "attempts", "refused", "retries_refused", "degraded", "transitions", "ended", "let_in"}, path[strings.LastIndex(path, ".")+1:]) {
				name = "LABEL"
			}
			walk(strings.TrimPrefix(path+"."+name, "."), v, names)
		}
	case []any:
		for _, v := range x {
			walk(path+"[]", v, names)
		}
	case nil:
		if names[path] == "" {
			names[path] = "null"
		}
	default:
		names[path] = map[string]string{"string": "text", "float64": "number", "bool": "bool"}[fmt.Sprintf("%T", x)]
	}
	for name := range names {
		if names[name] == "null" && slices.ContainsFunc(slices.Collect(maps.Keys(names)), func(n string) bool { return strings.HasPrefix(n, name+".") }) {
			delete(names, name) // an object that may be null
		}
	}
}

func TestEvents(t *testing.T) {
	s := start(t, everything)
	var got struct{ Events []proxy.Event }
	if s.get("/events", &got); got.Events == nil || len(got.Events) != 0 {
		t.Errorf("%+v", got)
	}
	s.Dependency("shop").Breaker().ForceOpenAt(clock.Real.Now())
	s.Reject(errors.New("bad"))
	if s.get("/events", &got); len(got.Events) != 2 || got.Events[0].To != "forced-open" || got.Events[1].Kind != proxy.KindRejected {
		t.Errorf("%+v", got)
	}
	if s.get("/events?after=1", &got); len(got.Events) != 1 || got.Events[0].Number != 2 {
		t.Errorf("%+v", got)
	}
	if w := s.ask("GET", "/events?after=x", ""); w.Code != 400 || !strings.Contains(w.Body.String(), `"field": "after"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// A stream has what was before it, each event as it happens, and goes on where
// another one has ended.
func TestEventStream(t *testing.T) {
	s := start(t, everything)
	s.Reject(errors.New("one"))
	server := httptest.NewServer(s)
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	open := func(last string) *bufio.Scanner {
		req, _ := http.NewRequestWithContext(ctx, "GET", server.URL+"/events", nil)
		req.Header.Set("Accept", "text/event-stream")
		req.Header.Set("Last-Event-ID", last)
		answer, err := server.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { answer.Body.Close() })
		if kind := answer.Header.Get("Content-Type"); kind != "text/event-stream" {
			t.Fatal(kind)
		}
		return bufio.NewScanner(answer.Body)
	}
	next := func(lines *bufio.Scanner) (e proxy.Event) {
		t.Helper()
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				if err := json.Unmarshal([]byte(data), &e); err != nil {
					t.Fatal(err)
				}
				return e
			}
		}
		t.Fatal("the stream has ended: ", lines.Err())
		return e
	}
	lines := open("")
	if e := next(lines); e.Number != 1 || e.Text != "one" {
		t.Errorf("%+v", e)
	}
	for range 200 { // more than a listener has places
		s.Reject(errors.New("more"))
	}
	for i := range 200 {
		if e := next(lines); e.Number != uint64(2+i) {
			t.Fatalf("event %d is missed, there is %d", 2+i, e.Number)
		}
	}
	if e := next(open("200")); e.Number != 201 {
		t.Errorf("%+v", e)
	}
}

// Streams are bounded: one that is left open for ever costs, and many do more.
func TestStreamsAreBounded(t *testing.T) {
	s := start(t, everything)
	server := httptest.NewServer(s)
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	codes := map[int]int{}
	for range 33 {
		req, _ := http.NewRequestWithContext(ctx, "GET", server.URL+"/events", nil)
		req.Header.Set("Accept", "text/event-stream")
		answer, err := server.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		codes[answer.StatusCode]++
	}
	if codes[200] != 32 || codes[503] != 1 {
		t.Errorf("answers are %v", codes)
	}
}

func TestPage(t *testing.T) {
	s := start(t, everything)
	w := s.ask("GET", "/", "")
	if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") || !strings.Contains(w.Body.String(), "Stanch sidecar of news") {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if !strings.Contains(w.Body.String(), "<script>") {
		t.Error("the page is not kept up to date")
	}
	if w := s.ask("GET", "/?refresh=off", ""); strings.Contains(w.Body.String(), "<script>") || strings.Contains(w.Body.String(), "http-equiv") {
		t.Error("a page that is paused is kept up to date")
	}
}
