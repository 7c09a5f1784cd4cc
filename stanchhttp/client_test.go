package stanchhttp_test

import (
	"context"
	"errors"
	"math"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/stanchhttp"
)

func TestNoLimitIsLeftOut(t *testing.T) {
	type limits struct {
		tls, header, expect, idle, whole time.Duration
		conns, idlePerHost, idleAll      int
		headerBytes                      int64
	}
	for _, c := range []struct {
		name   string
		config stanch.Config
		client stanchhttp.ClientConfig
		want   limits
	}{
		{
			name: "defaults",
			want: limits{2 * time.Second, 10 * time.Second, time.Second, 90 * time.Second, 30 * time.Second, 100, 100, 100, 64 << 10},
		},
		{
			name: "from the dependency",
			config: stanch.Config{
				Timeout:  deadline.Config{Connect: 100 * time.Millisecond, Attempt: 300 * time.Millisecond, Total: time.Second},
				Bulkhead: bulkhead.Config{Limit: 8},
			},
			want: limits{100 * time.Millisecond, 1300 * time.Millisecond, time.Second, 90 * time.Second, 0, 16, 8, 16, 64 << 10},
		},
		{
			name:   "for ever is not overflowed",
			config: stanch.Config{Timeout: deadline.Config{Attempt: math.MaxInt64}},
			want:   limits{2 * time.Second, math.MaxInt64, time.Second, 90 * time.Second, 30 * time.Second, 100, 100, 100, 64 << 10},
		},
		{
			name:   "by hand",
			config: stanch.Config{Timeout: deadline.Config{Attempt: time.Second}, Bulkhead: bulkhead.Config{Limit: 8}},
			client: stanchhttp.ClientConfig{
				TLSHandshake: 1, ResponseHeader: 2, Total: 3, ExpectContinue: 4, IdleConnection: 5,
				MaxConnsPerHost: 6, MaxIdleConnsPerHost: 7, MaxResponseHeaderBytes: 8,
			},
			want: limits{1, 2, 4, 5, 3, 6, 7, 6, 8},
		},
	} {
		d := stanch.Must(stanch.New("shop", c.config))
		b := stanchhttp.NewBase(d, c.client)
		got := limits{b.TLSHandshakeTimeout, b.ResponseHeaderTimeout, b.ExpectContinueTimeout, b.IdleConnTimeout,
			stanchhttp.NewClient(d, c.client).Timeout, b.MaxConnsPerHost, b.MaxIdleConnsPerHost, b.MaxIdleConns, b.MaxResponseHeaderBytes}
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestDialIsBounded(t *testing.T) {
	d := stanch.Must(stanch.New("shop", stanch.Config{Timeout: deadline.Config{Connect: 1, Attempt: time.Minute}}))
	_, err := stanchhttp.NewBase(d, stanchhttp.ClientConfig{}).DialContext(t.Context(), "tcp", "127.0.0.1:1")
	if e, ok := errors.AsType[net.Error](err); !ok || !e.Timeout() {
		t.Errorf("error %v, want a timeout after a nanosecond", err)
	}
}

func TestClientWithoutTotalIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := stanch.Must(stanch.New("shop", stanch.Config{}))
		client := stanchhttp.NewClient(d, stanchhttp.ClientConfig{Total: 3 * time.Second})
		network := newMemory()
		defer network.Close()
		client.Transport = stanchhttp.New(d, &http.Transport{DialContext: network.dial}, stanchhttp.Options{})
		began := time.Now()
		_, err := client.Get("http://shop/")
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 3*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

func TestValidate(t *testing.T) {
	err := stanchhttp.ClientConfig{
		Options:      stanchhttp.Options{IdempotencyHeader: "two words"},
		TLSHandshake: -1, ResponseHeader: -time.Second, Total: -1, ExpectContinue: -1, IdleConnection: -1,
		MaxConnsPerHost: -1, MaxIdleConnsPerHost: -2, MaxResponseHeaderBytes: -1,
	}.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 9 || lines[2] != "response_header: must not be negative, is -1s" || !strings.HasPrefix(lines[0], "idempotency_header: ") {
		t.Errorf("%d faults:\n%v", len(lines), err)
	}
	if err := (stanchhttp.ClientConfig{Options: stanchhttp.Options{IdempotencyHeader: "X-Request.Id_1"}}).Validate(); err != nil {
		t.Error(err)
	}
	if err := (stanchhttp.ClientConfig{}).Validate(); err != nil {
		t.Error(err)
	}
}
