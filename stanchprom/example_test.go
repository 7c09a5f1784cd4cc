package stanchprom_test

import (
	"context"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/stanchprom"
)

func Example() {
	reg := prometheus.NewRegistry() // or prometheus.DefaultRegisterer
	metrics, err := stanchprom.New(reg)
	if err != nil {
		fmt.Println(err)
		return
	}
	recommend := stanch.Must(stanch.New("recommend", stanch.OptionalRead(), stanch.WithObserver(metrics)))
	metrics.Watch(recommend)

	_, _ = stanch.Do(context.Background(), recommend, func(context.Context) (string, error) { return "a list", nil })

	families, err := reg.Gather()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range families {
		for _, m := range f.Metric {
			if m.Counter.GetValue() > 0 {
				fmt.Println(f.GetName(), m.Label[0].GetValue(), m.Label[1].GetValue(), m.Counter.GetValue())
			}
		}
	}
	// Output:
	// stanch_attempts_total recommend ok 1
	// stanch_calls_total recommend ok 1
}
