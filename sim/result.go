package sim

// A Result is what a scenario gave. Its JSON form is stable: names are only
// ever added.
type Result struct {
	// Scenario and Title are those of the file.
	Scenario string `json:"scenario"`
	Title    string `json:"title,omitempty"`
	// Seed is the one that was played, of the last variant if they differ.
	Seed uint64 `json:"seed"`
	// Mode is "virtual" or "real".
	Mode Mode `json:"mode"`
	// Interrupted: the run ended early, in the last of the variants listed.
	Interrupted bool `json:"interrupted,omitempty"`
	// Variants are the figures, in the order of the file.
	Variants []VariantResult `json:"variants"`
	// Expectations are the expectations of the variants that were played.
	Expectations []Expectation `json:"expectations"`
}

// Mode says in which time a scenario was played.
type Mode string

const (
	Virtual Mode = "virtual"
	Real    Mode = "real"
)

// A VariantResult is one world's figures.
type VariantResult struct {
	// Name is that of the variant.
	Name string `json:"name"`
	// Metrics are the figures of all loads together.
	Metrics Metrics `json:"metrics"`
	// Dependencies are what reached each dependency, by its name.
	Dependencies map[string]DependencyResult `json:"dependencies"`
	// Classes are the figures of each load, by its name.
	Classes map[string]Metrics `json:"classes"`
	// Services are what each service took in that has an inbound section, by its
	// name.
	Services map[string]ServiceResult `json:"services,omitempty"`
	// Priorities are the requests of the loads by their priority, if they have any.
	Priorities map[string]PriorityResult `json:"priorities,omitempty"`
	// Published are the figures others printed for this variant, by path.
	Published map[string]float64 `json:"published,omitempty"`
	// Series are the figures over time, for charts.
	Series *Series `json:"-"`
}

// Metrics are the figures of one load, or of all of them.
type Metrics struct {
	// Requests is how many were sent.
	Requests int64 `json:"requests"`
	OK       int64 `json:"ok"`       // answered by the dependency
	Degraded int64 `json:"degraded"` // answered by an alternative
	Failed   int64 `json:"failed"`   // a call was made and there is no answer
	// Refused counts requests that ended at a call of which no attempt was let
	// through, or at the service's door, by reason; queue_full is the service's own
	// full queue.
	Refused map[string]int64 `json:"refused"`
	// Hung counts requests without an answer when the run ended.
	Hung int64 `json:"hung,omitempty"`
	// Orphaned counts requests that a service finished after its caller left.
	Orphaned int64 `json:"orphaned,omitempty"`
	// ThroughputPerS is answers of any kind by the time of the last one.
	ThroughputPerS float64 `json:"throughput_per_s"`
	// GoodputPerS is ok by the time that load was offered.
	GoodputPerS float64 `json:"goodput_per_s"`
	// SuccessRatio is ok by requests.
	SuccessRatio float64 `json:"success_ratio"`
	// Amplification is calls that reached dependencies by requests that were
	// not refused at the service's door.
	Amplification float64 `json:"amplification"`
	// LatencyMs is from the arrival of a request to its answer, of any kind but
	// a refusal at the service's door.
	LatencyMs Quantiles `json:"latency_ms"`
	// OKLatencyMs is that of the requests that the dependency answered.
	OKLatencyMs Quantiles `json:"ok_latency_ms"`
	// FaultLatencyMs is that of the requests that arrived during the fault.
	FaultLatencyMs *Quantiles `json:"fault_latency_ms,omitempty"`
	// CompletedPerS is how many answers there were in each second of the run;
	// refusals at the service's door are left out.
	CompletedPerS []int64 `json:"completed_per_s"`
	// OKPerS is the part of CompletedPerS that the dependency answered.
	OKPerS []int64 `json:"ok_per_s"`
	// FirstSuccessAfterRecoveryMs is from the end of the fault to the first
	// answer of the dependency after it; -1 when there was none.
	FirstSuccessAfterRecoveryMs *float64 `json:"first_success_after_recovery_ms,omitempty"`
	// FullRateAfterRecoveryMs is from the end of the fault to the arrival from
	// which on, for half a second, every request was answered by the
	// dependency; -1 when that never came.
	FullRateAfterRecoveryMs *float64 `json:"full_rate_after_recovery_ms,omitempty"`
}

// Quantiles of a latency, in milliseconds, to three significant digits.
type Quantiles struct {
	// P50 and the others are the latency that this share of the requests did not
	// exceed; Max is the longest.
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

// DependencyResult is what reached one dependency, and what the guards of its
// callers did.
type DependencyResult struct {
	// Calls is how many reached it, retries included.
	Calls int64 `json:"calls"`
	// CallsDuringFault is how many of them arrived during the fault.
	CallsDuringFault int64 `json:"calls_during_fault"`
	// PeakInFlight is the most that it had in hand at once, abandoned ones included.
	PeakInFlight int `json:"peak_in_flight"`
	// Windows are its arrivals in windows.
	Windows WindowsResult `json:"windows"`
	// Transitions are the changes of state of the breakers before it, the first
	// thousand.
	Transitions []Transition `json:"transitions"`
}

// ServiceResult is what a service took in, all its instances together.
type ServiceResult struct {
	// Admitted is how many requests were taken in.
	Admitted int64 `json:"admitted"`
	// Refused counts the others by reason, RefusedBy by the name of the limit or
	// quota; fixed_window is the fixed window.
	Refused   map[string]int64 `json:"refused"`
	RefusedBy map[string]int64 `json:"refused_by"`
	// PeakInFlight is the most in flight at once, of all that were taken in.
	PeakInFlight int `json:"peak_in_flight"`
	// AdmittedPerS is how many were taken in in each second.
	AdmittedPerS []int64 `json:"admitted_per_s"`
	// InFlightPerS is the most in flight at once in each second.
	InFlightPerS []int `json:"in_flight_per_s"`
	// LimitPerS is the concurrency limit at the end of each second.
	LimitPerS []int `json:"limit_per_s"`
	// Quotas are its quotas, by their name.
	Quotas map[string]QuotaResult `json:"quotas"`
}

// QuotaResult is what a quota decided, in all instances together.
type QuotaResult struct {
	// Admitted and Refused are its decisions.
	Admitted int64 `json:"admitted"`
	Refused  int64 `json:"refused"`
	// AdmittedPerS is how many it admitted in each second.
	AdmittedPerS []int64 `json:"admitted_per_s"`
	// Used is the share that was admitted of what one bucket is filled with while
	// load is offered; more than 1 is what it held at the beginning, or too much.
	Used float64 `json:"used"`
	// Asked is how many round trips to its store were begun, Failed how many of
	// them brought no answer.
	Asked  int64 `json:"asked"`
	Failed int64 `json:"failed"`
	// HeldMax is the most that the instances held unspent at once.
	HeldMax float64 `json:"held_max"`
}

// PriorityResult are the requests of a priority that have ended.
type PriorityResult struct {
	Requests     int64   `json:"requests"`      // how many
	OK           int64   `json:"ok"`            // answered by the dependency
	Refused      int64   `json:"refused"`       // by a guard, or at the service's door
	SuccessRatio float64 `json:"success_ratio"` // ok by requests
}

// WindowsResult are the arrivals at a dependency in windows.
type WindowsResult struct {
	WidthMs    float64 `json:"width_ms"`     // how long a window is
	Counts     []int64 `json:"counts"`       // arrivals in each window
	PeakPerS   float64 `json:"peak_per_s"`   // the highest count, as a rate
	MeanPerS   float64 `json:"mean_per_s"`   // the mean count, as a rate
	PeakToMean float64 `json:"peak_to_mean"` // the one by the other
	CV         float64 `json:"cv"`           // coefficient of variation: standard deviation by mean
}

// Transition is a change of a breaker's state.
type Transition struct {
	TS   float64 `json:"t_s"`  // when, in seconds
	From string  `json:"from"` // the state before
	To   string  `json:"to"`   // the state after
}

// An Expectation is one line of a scenario's expect section, checked.
type Expectation struct {
	Text   string  `json:"text"`   // the line
	Holds  bool    `json:"holds"`  // whether it does
	Figure float64 `json:"figure"` // what the figure is; of several, one that does not hold
}

// Holds reports whether every expectation held.
func (r *Result) Holds() bool {
	for _, e := range r.Expectations {
		if !e.Holds {
			return false
		}
	}
	return true
}
