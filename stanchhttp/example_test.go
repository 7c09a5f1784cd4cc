package stanchhttp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/stanchhttp"
)

// Code that uses an http.Client stays as it is.
func ExampleNewClient() {
	server := httptest.NewServer(http.HandlerFunc(flaky))
	defer server.Close()

	profiles := stanch.Must(stanch.New("profiles", stanch.Standard(300*time.Millisecond)))
	client := stanchhttp.NewClient(profiles, stanchhttp.ClientConfig{})

	resp, err := client.Get(server.URL) // the first attempt fails, the second one does not
	if err != nil {
		fmt.Println(err) // for instance: the circuit breaker is open (try again in 4.2s)
		return
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)
	// Output: 200 OK
}

// With alternatives, the whole call is the guarded function, with its decoding,
// and the client inside of it is an unguarded one.
func ExampleCheck() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "overloaded", http.StatusServiceUnavailable)
	}))
	defer server.Close()

	related := stanch.Must(stanch.New("related", stanch.OptionalRead()))
	client := &http.Client{Transport: stanchhttp.NewBase(related, stanchhttp.ClientConfig{})}

	fetch := func(ctx context.Context) (titles []string, err error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
		if err != nil {
			return nil, err
		}
		resp, err := client.Do(req)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		if err := stanchhttp.Check(resp); err != nil {
			return nil, err
		}
		return titles, json.NewDecoder(resp.Body).Decode(&titles)
	}
	popular := stanch.Or("popular", func(context.Context) ([]string, error) { return []string{"Moby-Dick"}, nil })

	answer, err := stanch.Ask(context.Background(), related, fetch, popular)
	fmt.Println(answer.Value, answer.Source, err)
	fmt.Println(answer.Cause)
	// Output:
	// [Moby-Dick] popular <nil>
	// stanchhttp: the server answered 503 Service Unavailable
}

// A server takes over the time that its caller has left, so that it does not
// work for nobody.
func ExampleHandler() {
	handler := stanchhttp.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		end, ok := r.Context().Deadline()
		fmt.Println(ok, time.Until(end) <= 250*time.Millisecond, deadline.AttemptOf(r.Context()))
	}), 10*time.Second, func(err error) { fmt.Println(err) })

	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("X-Envoy-Expected-Rq-Timeout-Ms", "250")
	r.Header.Set("X-Envoy-Attempt-Count", "2")
	handler.ServeHTTP(httptest.NewRecorder(), r)
	// Output: true true 2
}

// flaky fails each request's first attempt.
func flaky(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-Envoy-Attempt-Count") == "1" {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}
