// Package stanchprom tells Prometheus how guarded calls end, and what is refused of those that
// come in.
//
// In a program that uses the library, New registers the metrics, WithObserver
// lets a dependency be counted, and Watch adds what is read off a dependency:
// the state of its breaker, the places of its bulkhead, the balance of its
// budget.
//
//	metrics, err := stanchprom.New(prometheus.DefaultRegisterer)
//	recommend, err := stanch.New("recommend", config, stanch.WithObserver(metrics))
//	metrics.Watch(recommend)
//
// InboundCollector does the same for what a service takes in, from the counts of
// an inbound.Tally. The sidecar serves both from its own counts.
//
// The values of labels are bounded: results, reasons and states are fixed sets,
// dependencies and sources are counted by name up to MaxDependencies and
// MaxSources, and everything beyond is "other". A name must therefore not be made
// from what a request says; it would not hurt Prometheus, but be lost.
package stanchprom
