package real_test

import "testing"

// Load generators that send the next request when the last one is answered, or
// count its time from when they came to send it, measure a stalled server as a
// quick one ("coordinated omission"). An open loop sends on, and counts from
// when a request was due.
func TestRegressionCoordinatedOmission(t *testing.T) {
	t.Parallel()
	r := play(t, `
duration: 400ms
services: {page: {workers: 1, queue: unbounded, calls: [db]}}
dependencies: {db: {phases: [{latency: 100ms}]}}
loads: {users: {to: page, rate: 50}}
`)
	m := r.Metrics
	if m.Requests != 20 || m.OK != 20 {
		t.Fatalf("%+v", m)
	}
	// The one in the middle was due after 200 ms and is answered after 1 s.
	between(t, "p50", m.LatencyMs.P50, 700, 10_000)
	between(t, "max", m.LatencyMs.Max, 1500, 20_000)
}

// A server that stops when its caller leaves looks well while it is being
// abused: that is not how most servers are. Calls that were given up stay in
// flight.
func TestRegressionAbandonedCallsAreWorkedOn(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{`{timeout: {attempt: 20ms}}`, `{timeout: {attempt: 20ms}, alternative: none}`} {
		r := play(t, `
duration: 300ms
services: {page: {workers: 1, queue: unbounded, calls: [db]}}
dependencies: {db: {phases: [{latency: 10s}]}}
loads: {users: {to: page, clients: 1}}
policy: {db: `+policy+`}
`)
		db := r.Dependencies["db"]
		between(t, "calls", db.Calls, 2, 15)
		if int64(db.PeakInFlight) != db.Calls {
			t.Errorf("%d of %d abandoned calls in flight", db.PeakInFlight, db.Calls)
		}
	}
}

// net/http sends an idempotent request again on its own account when a kept
// connection turns out to be closed. A dependency that refused by closing would
// be called twice for each call.
func TestRegressionRefusedCallsAreCountedOnce(t *testing.T) {
	t.Parallel()
	r := play(t, `
duration: 300ms
dependencies: {db: {phases: [{until: 100ms, latency: 1ms}, {refuse: true}]}}
loads: {users: {to: db, clients: 3, think: 5ms}}
`)
	m := r.Metrics
	if m.Failed == 0 || m.OK == 0 || r.Dependencies["db"].Calls != m.Requests {
		t.Errorf("%d calls, %+v", r.Dependencies["db"].Calls, m)
	}
}
