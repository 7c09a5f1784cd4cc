package inbound_test

import (
	"context"
	"testing"
	"time"

	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/quota"
	"github.com/stanch-go/stanch/shed"
)

// everything is on, and admits.
func everything() inbound.Config {
	return inbound.Config{
		Deadline:    time.Second,
		Limits:      []inbound.Limit{{Name: "tenant", By: inbound.Tenant, Rate: 1e9}, {Name: "search", Route: "/search", Rate: 1e9}},
		Quotas:      []inbound.Quota{{Name: "all", By: inbound.Tenant, Config: quota.Config{Rate: 1e9}}},
		Priorities:  inbound.Priorities{Routes: []inbound.RoutePriority{{Route: "/export", Priority: "sheddable"}}},
		Concurrency: inbound.Concurrency{Config: shed.Config{Limit: 64}},
	}
}

func BenchmarkAdmitted(b *testing.B) {
	c, err := inbound.New("shop", everything())
	if err != nil {
		b.Fatal(err)
	}
	r := inbound.Request{Method: "GET", Path: "/search", Tenant: "acme", User: "ann"}
	b.ReportAllocs()
	for b.Loop() {
		a, err := c.Admit(context.Background(), r)
		if err != nil {
			b.Fatal(err)
		}
		a.Done(outcome.Success)
	}
}

func BenchmarkRefused(b *testing.B) {
	cfg := everything()
	cfg.Limits[0].Rate, cfg.Limits[0].Window = 1, time.Hour
	c, err := inbound.New("shop", cfg)
	if err != nil {
		b.Fatal(err)
	}
	r := inbound.Request{Method: "GET", Path: "/search", Tenant: "acme", User: "ann"}
	first, _ := c.Admit(context.Background(), r)
	first.Done(outcome.Success)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Admit(context.Background(), r); err == nil {
			b.Fatal("admitted")
		}
	}
}
