package stanchhttp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/stanchhttp"
)

func reply(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
}

func TestAsk(t *testing.T) {
	gone := errors.New("gone")
	kept := stanch.Or("kept", func(context.Context) (*http.Response, error) { return reply(200, "kept"), nil })
	none := stanch.Or("none", func(context.Context) (*http.Response, error) { return nil, gone })
	type alternatives []stanch.Alternative[*http.Response]
	for _, tt := range []struct {
		name   string
		status int // of the server; 0: no answer
		or     alternatives
		source string
		want   int // 0: an error
	}{
		{"live", 200, alternatives{kept}, "live", 200},
		{"proper answer", 404, alternatives{kept}, "live", 404},
		{"failure", 503, alternatives{kept}, "kept", 200},
		{"no answer", 0, alternatives{none, kept}, "kept", 200},
		{"the server's answer is better than none", 503, alternatives{none}, "live", 503},
		{"without alternatives", 503, nil, "live", 503},
		{"nothing at all", 0, alternatives{none}, "live", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := guard(t)
			rt := stanchhttp.New(d, base(func(*http.Request) (*http.Response, error) {
				if tt.status == 0 {
					return nil, io.ErrUnexpectedEOF
				}
				return reply(tt.status, "live"), nil
			}), stanchhttp.Options{})
			req, _ := http.NewRequestWithContext(t.Context(), "GET", "http://shop/", nil)
			got, err := rt.Ask(req, tt.or...)
			if tt.want == 0 {
				if got.Value != nil || !errors.Is(err, io.ErrUnexpectedEOF) || !errors.Is(err, gone) {
					t.Fatalf("got %v, %v", got.Value, err)
				}
			} else {
				if err != nil || got.Value.StatusCode != tt.want || got.Source != tt.source {
					t.Fatalf("got %v from %s, %v", got.Value, got.Source, err)
				}
				got.Value.Body.Close()
			}
			idle(t, d)
		})
	}
}

// A protocol may answer 200 and mean something else.
func TestJudge(t *testing.T) {
	d := guard(t, breakerAfter(1), attempts(1))
	rt := stanchhttp.New(d, base(func(r *http.Request) (*http.Response, error) {
		resp := reply(200, "")
		resp.Header.Set("Fault", r.Header.Get("Fault"))
		return resp, nil
	}), stanchhttp.Options{Judge: func(resp *http.Response) (outcome.Verdict, bool) {
		return outcome.Verdict{Outcome: outcome.Failure}, resp.Header.Get("Fault") != ""
	}})
	for _, fault := range []string{"", "yes"} {
		req, _ := http.NewRequestWithContext(t.Context(), "GET", "http://shop/", nil)
		req.Header.Set("Fault", fault)
		resp, err := rt.RoundTrip(req)
		if err != nil || resp.StatusCode != 200 {
			t.Fatal(resp, err)
		}
		resp.Body.Close()
		if open := d.Breaker().State().String() == "open"; open != (fault != "") {
			t.Errorf("fault %q: open %v", fault, open)
		}
	}
}
