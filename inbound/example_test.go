package inbound_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/shed"
)

func Example() {
	control, err := inbound.New("shop", inbound.Config{
		Limits:      []inbound.Limit{{Name: "tenant", By: inbound.Tenant, Rate: 2, Window: time.Minute}},
		Concurrency: inbound.Concurrency{Config: shed.Config{Limit: 64}},
	})
	if err != nil {
		panic(err)
	}
	serve := func(tenant string) error {
		admission, err := control.Admit(context.Background(), inbound.Request{Method: "GET", Path: "/search", Tenant: tenant})
		if err != nil {
			return err
		}
		result := outcome.Failure // also when the work panics
		defer func() { admission.Done(result) }()
		// ... the work
		result = outcome.Success
		return nil
	}
	for range 3 {
		err := serve("acme")
		fmt.Println(err == nil, errors.Is(err, stanch.ErrRateLimited)) // try again in 30s, less what has passed
	}
	// Output:
	// true false
	// true false
	// false true
}
