package e2e

import (
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"
)

// A fault that is set strikes as one of the dependency's own would, and ends by
// itself.
func TestFaults(t *testing.T) {
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("answer")) }))
	s := guard(t, fmt.Sprintf("shop: {url: %q, timeout: {attempt: 300ms}, fallback: {empty: array}}", url))
	get := func() string {
		t.Helper()
		resp, err := s.client().Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%d %s %s", resp.StatusCode, resp.Header.Get("Stanch-Source"), body)
	}
	want := func(answer string) {
		t.Helper()
		if got := get(); got != answer {
			t.Errorf("got %q, want %q", got, answer)
		}
	}
	set := func(fault string) {
		t.Helper()
		if code, text := s.admin(t, "POST", "/faults/shop", fault); code != 200 {
			t.Fatal(code, text)
		}
	}
	want("200 live answer")
	set(`{"kind": "hang"}`)
	want("200 empty []")
	if f := s.state(t).Dependencies[0].Fault; f == nil || f.Kind != "hang" {
		t.Errorf("status: %+v", f)
	}
	set(`{"kind": "abort", "status": "500"}`)
	want("200 empty []")
	set(`{"kind": "close"}`)
	want("200 empty []")
	set(`{"kind": "delay", "delay": "100ms"}`)
	began := time.Now()
	want("200 live answer")
	if took := time.Since(began); took < 100*time.Millisecond {
		t.Errorf("it took %v in spite of a delay of 100ms", took)
	}
	if code, text := s.admin(t, "DELETE", "/faults/shop", ""); code != 200 {
		t.Fatal(code, text)
	}
	want("200 live answer")

	set(`{"kind": "hang", "for": "700ms"}`)
	want("200 empty []")
	until(t, "it has ended by itself", func() bool { return get() == "200 live answer" })
	if f := s.state(t).Dependencies[0].Fault; f != nil {
		t.Errorf("status: %+v", f)
	}
	for _, wrong := range []string{`{"kind": "explode"}`, `{"kind": "hang", "for": "24h"}`, `{"kind": "abort", "share": "2"}`} {
		if code, text := s.admin(t, "POST", "/faults/shop", wrong); code != 400 {
			t.Errorf("%s: %d %s", wrong, code, text)
		}
	}
	want("200 live answer")
}

// A breaker that is forced open refuses, forced closed it lets through whatever
// happens, and by itself it decides as before.
func TestForcedBreaker(t *testing.T) {
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/bad" {
			w.WriteHeader(500)
		}
	}))
	s := guard(t, fmt.Sprintf("shop: {url: %q, breaker: {consecutive: 2, cooldown: 1h}}", url))
	want := func(path string, code int, refused string) {
		t.Helper()
		resp, err := s.client().Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := resp.Header.Get("Stanch-Refused"); resp.StatusCode != code || got != refused {
			t.Errorf("%s: %d %q, want %d %q", path, resp.StatusCode, got, code, refused)
		}
	}
	force := func(state, becomes string) {
		t.Helper()
		if code, text := s.admin(t, "POST", "/breaker/shop", fmt.Sprintf("{\"state\": %q}", state)); code != 200 {
			t.Fatal(code, text)
		}
		if b := s.state(t).Dependencies[0].Breaker; b == nil || b.State != becomes {
			t.Errorf("forced %s: %+v, want %s", state, b, becomes)
		}
	}
	want("/", 200, "")
	force("open", "forced-open")
	want("/", 503, "breaker_open")
	force("closed", "forced-closed")
	for range 5 {
		want("/bad", 500, "")
	}
	force("auto", "closed")
	want("/bad", 500, "")
	want("/bad", 500, "")
	want("/", 503, "breaker_open")
}
