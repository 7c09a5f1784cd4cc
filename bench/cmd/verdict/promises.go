package main

// A promise is one line of what is held to.
type promise struct {
	about string
	ours  string   // the benchmark that is judged
	than  []string // those it is compared with: the best of them counts
	unit  string   // ns/op unless given
	most  float64  // of ours/than, or of ours where it is compared with none
	plus  float64  // most of ours-than, where that is promised
	least float64  // of ours, where more is better
}

const (
	call     = "Call/success/alone/"
	done     = "Call/done/alone/"
	refusal  = "Refusal/alone/"
	breaker  = "Breaker/success/alone/"
	bulkhead = "Bulkhead/alone/"
	trip     = "RoundTripper/no-body/alone/"
	client   = "Client/no-body/alone/"
	limiter  = "Limiter/admitted/"
	keyed    = "Keyed/"
)

// promises are those of the design. Whoever changes one changes it here and says
// why in docs/performance.md.
var promises = []promise{
	{about: "whole call, against a bare context.WithTimeout", ours: call + "stanch/fastest", than: []string{call + "context.WithTimeout"}, most: 0.4},
	{about: "whole call, against failsafe-go's five policies", ours: call + "stanch/fastest", than: []string{call + "failsafe/fastest", call + "failsafe/usual"}, most: 1.0 / 8},
	{about: "whole call, against the hand-made stack", ours: call + "stanch/fastest", than: []string{call + "hand-made"}, most: 1.0 / 4},
	{about: "whole call, allocations", ours: call + "stanch/fastest", unit: "allocs/op", most: 1},

	{about: "whole call with Done, against failsafe-go", ours: done + "stanch/fastest", than: []string{done + "failsafe/fastest", done + "failsafe/usual"}, most: 0.5},
	{about: "whole call with Done, against context.WithTimeout", ours: done + "stanch/fastest", than: []string{done + "context.WithTimeout"}, most: 1.3},

	{about: "refused by the breaker, allocations", ours: refusal + "stanch", unit: "allocs/op", most: 0},
	{about: "refused by the breaker, against failsafe-go", ours: refusal + "stanch", than: []string{refusal + "failsafe/fastest", refusal + "failsafe/usual"}, most: 1.0 / 8},
	{about: "refused by the breaker, against gobreaker's alone", ours: refusal + "stanch", than: []string{refusal + "gobreaker/fastest", refusal + "gobreaker/usual"}, most: 2.0 / 3},

	{about: "breaker alone, against gobreaker", ours: breaker + "stanch", than: []string{breaker + "gobreaker/fastest", breaker + "gobreaker/usual"}, most: 0.5},
	{about: "breaker alone, against failsafe-go's permit", ours: breaker + "stanch", than: []string{breaker + "failsafe/fastest"}, most: 1},
	{about: "breaker alone, in parallel against one after the other", ours: "Breaker/success/parallel/stanch", than: []string{breaker + "stanch"}, most: 1.3},

	{about: "bulkhead alone, against x/sync", ours: bulkhead + "stanch/fastest", than: []string{bulkhead + "x/sync/fastest"}, most: 0.7},
	{about: "retry alone, over the plain loop", ours: "Retry/alone/stanch", than: []string{"Retry/alone/loop"}, plus: 15},

	{about: "RoundTripper, against failsafehttp with three policies", ours: trip + "stanch", than: []string{trip + "failsafe/3-policies"}, most: 1.0 / 4},
	{about: "the same where a body is to be read", ours: "RoundTripper/body/alone/stanch", than: []string{"RoundTripper/body/alone/failsafe/3-policies"}, most: 1.0 / 4},
	{about: "guarded client, against http.Client with Timeout", ours: client + "stanch", than: []string{client + "timeout"}, most: 1},
	{about: "the same where a body is to be read", ours: "Client/body/alone/stanch", than: []string{"Client/body/alone/timeout"}, most: 1},

	{about: "token bucket, against x/time/rate", ours: limiter + "alone/stanch", than: []string{limiter + "alone/x/time"}, most: 0.5},
	{about: "token bucket in parallel, against x/time/rate", ours: limiter + "parallel/stanch", than: []string{limiter + "parallel/x/time"}, most: 0.5},
	{about: "token bucket, allocations", ours: limiter + "alone/stanch", unit: "allocs/op", most: 0},

	{about: "a million keys, bytes a key", ours: keyed + "memory/stanch", unit: "B/key", most: 40},
	{about: "a million keys, decision in parallel, against the best peer", ours: keyed + "decision/stanch", than: others(keyed + "decision/"), most: 1},
	{about: "a million keys, full collection, against the best exact peer", ours: keyed + "memory/stanch", than: exact(keyed + "memory/"), unit: "gc-ns", most: 1.0 / 10},

	{about: "adaptive limiter, allocations", ours: "Adaptive/alone/stanch", unit: "allocs/op", most: 0},
	{about: "adaptive limiter, against failsafe-go's permit", ours: "Adaptive/alone/stanch", than: []string{"Adaptive/alone/failsafe"}, most: 1.0 / 3},

	{about: "simulator, calls a second on one core", ours: "Simulator/stanch", unit: "calls/s", least: 500_000},
	{about: "simulator, allocations a call", ours: "Simulator/stanch", unit: "allocs/call", most: 0},
}

// exact are the peers that keep the state of each key.
func exact(path string) []string {
	return []string{path + "x/time-in-sync.Map", path + "throttled", path + "go-limiter", path + "ulule"}
}

func others(path string) []string { return append(exact(path), path+"httprate") }
