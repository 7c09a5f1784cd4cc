package answer

import (
	"math"
	"net/http"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	for after, want := range map[time.Duration]string{
		-time.Second: "", 0: "", 1: "1", time.Second: "1", time.Second + 1: "2", 127 * time.Second: "127",
		128 * time.Second: "128", math.MaxInt64: "9223372037",
	} {
		got := ""
		if v := RetryAfter(after); v != nil {
			got = v[0]
		}
		if got != want {
			t.Errorf("%v: %q, want %q", after, got, want)
		}
	}
}

func TestIsGRPC(t *testing.T) {
	for value, want := range map[string]bool{
		"": false, "application/grpc": true, "application/grpc+proto": true, "application/grpc;x=y": true,
		"application/grpc-web": false, "text/html": false,
	} {
		if got := IsGRPC(http.Header{"Content-Type": {value}}); got != want {
			t.Errorf("%q: %v", value, got)
		}
	}
	if IsGRPC(nil) {
		t.Error("nothing is gRPC")
	}
}

func TestPercent(t *testing.T) {
	if got := Percent("50 % für\n"); got != "50 %25 f%C3%BCr%0A" {
		t.Error(got)
	}
}
