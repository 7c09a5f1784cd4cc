package e2e

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// admin sends a request to the admin listener and returns the answer's status
// and body.
func (s *sidecar) admin(t testing.TB, method, path, body string) (int, string) {
	t.Helper()
	var d net.Dialer
	c := http.Client{Timeout: bound, Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return d.DialContext(ctx, "unix", s.socket)
	}}}
	req, err := http.NewRequestWithContext(t.Context(), method, "http://localhost"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// A state is of the sidecar what the tests look at.
type state struct {
	Draining     bool
	Policy       struct{ Rejected *struct{ Faults []string } }
	Egress       struct{ Connections, Requests int }
	Dependencies []struct {
		Name                     string
		InFlight                 int `json:"in_flight"`
		Calls, Refused, Degraded map[string]int
		Breaker                  *struct{ State string }
		Fault                    *struct{ Kind string }
	}
}

func (s *sidecar) state(t testing.TB) (all state) {
	t.Helper()
	code, text := s.admin(t, "GET", "/status", "")
	if err := json.Unmarshal([]byte(text), &all); err != nil || code != 200 {
		t.Fatalf("%d %v: %s", code, err, text)
	}
	return all
}
