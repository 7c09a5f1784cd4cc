package demo

import (
	"strings"
	"testing"
	"time"
)

func TestValidate(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Config)
		faults []string
	}{
		{"the default", func(*Config) {}, nil},
		{"the shortest", func(c *Config) { c.Duration = MinDuration }, nil},
		{"too short", func(c *Config) { c.Duration = MinDuration - 1 }, []string{"--duration: must be from 12s to 1m0s"}},
		{"too long", func(c *Config) { c.Duration = MaxDuration + 1 }, []string{"--duration: must be"}},
		{"the longest stall", func(c *Config) { c.Stall = 11 * time.Second }, nil},
		{"no time to recover", func(c *Config) { c.Stall = 11*time.Second + 1 }, []string{"--stall: must be from 1s to 11s"}},
		{"all at once", func(c *Config) { c.Rate, c.Stall = 251, 0 }, []string{"--rate: must be from 20 to 250, is 251", "--stall: must be from 1s to 11s, is 0s"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := Default()
			tt.change(&c)
			var got []string
			if err := c.Validate(); err != nil {
				got = strings.Split(err.Error(), "\n")
			}
			if len(got) != len(tt.faults) {
				t.Fatalf("faults %q, want %q", got, tt.faults)
			}
			for i, want := range tt.faults {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("fault %q, want %q", got[i], want)
				}
			}
		})
	}
}

// Both services must be able to serve what comes when the dependency is well.
func TestMaxRateFits(t *testing.T) {
	c := Default()
	atOnce := int(c.Quick * MaxRate / time.Second)
	if atOnce >= c.Workers {
		t.Errorf("%d calls at once need more than %d workers", atOnce, c.Workers)
	}
	if places := newTestGuard(t).dependency.Config().Bulkhead.Limit; atOnce >= places {
		t.Errorf("%d calls at once need more than %d places", atOnce, places)
	}
}

func newTestGuard(t *testing.T) *guarded {
	g, err := newGuarded(t.Context(), "http://127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.close)
	return g
}
