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
