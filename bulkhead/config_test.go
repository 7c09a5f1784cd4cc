package bulkhead

import (
	"strings"
	"testing"
	"time"
)

func TestValidateTellsEveryFault(t *testing.T) {
	for _, tt := range []struct {
		name string
		cfg  interface{ Validate() error }
		want []string
	}{
		{"zero", Config{}, nil},
		{"all set", Config{Limit: 1, Queue: 1, MaxWait: 1, Order: Adaptive}, nil},
		{"unused max_wait", Config{Limit: 1, MaxWait: time.Second}, nil},
		{"all wrong", Config{Limit: -1, Queue: -2, MaxWait: -time.Second, Order: "random"}, []string{
			"limit: must not be negative, is -1",
			"queue: must not be negative, is -2",
			"max_wait: must not be negative, is -1s",
			`order: must be fifo, lifo or adaptive, is "random"`,
		}},
		{"too large", Config{Limit: 1 << 31, Queue: 1 << 31, MaxWait: 1}, []string{
			"limit: must be at most 2147483647, is 2147483648",
			"queue: must be at most 2147483647, is 2147483648",
		}},
		{"unbounded wait", Config{Limit: 1, Queue: 1}, []string{"max_wait: must be positive with a queue, is 0s"}},
		{"zero share", Share{}, nil},
		{"wrong share", Share{Guaranteed: 3, Max: 2, Queue: -1}, []string{
			"max: must be at least guaranteed (3), is 2",
			"queue: must not be negative, is -1",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if err := tt.cfg.Validate(); err != nil {
				got = err.Error()
			}
			if want := strings.Join(tt.want, "\n"); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
			if cfg, ok := tt.cfg.(Config); ok {
				if b, err := New(cfg); (err != nil) != (tt.want != nil) || (b != nil) != (tt.want == nil) {
					t.Errorf("New gives %v, %v", b, err)
				}
			}
		})
	}
}
