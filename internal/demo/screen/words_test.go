package screen

import (
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/demo"
)

func TestState(t *testing.T) {
	for _, tt := range []struct {
		s    demo.Service
		want string
	}{
		{demo.Service{}, "answers everybody"},
		{demo.Service{Quiet: 499 * time.Millisecond}, "answers everybody"},
		{demo.Service{Quiet: 1500 * time.Millisecond, Queued: 500}, "has answered nobody for 1.5s"},
		{demo.Service{Queued: 21, Ticks: []demo.Tick{{P99: 5 * time.Second}}}, "answers again, after users waited 5s"},
		{demo.Service{Ticks: []demo.Tick{{Live: 1, Failed: 2}}}, "failed 2 users in the last second"},
		{demo.Service{Ticks: []demo.Tick{{Degraded: 2}}}, "answers everybody, now by fallback"},
	} {
		if got, _ := state(demo.Default(), tt.s); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.s, got, tt.want)
		}
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		32144947: "32ms", 0: "0s", 999600 * time.Microsecond: "1s", time.Second: "1s",
		4972 * time.Millisecond: "5.0s", 1250 * time.Millisecond: "1.2s", 12400 * time.Millisecond: "12s", time.Minute: "60s",
	} {
		if got := short(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
