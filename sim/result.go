package sim

// A Result is what a scenario gave. Its JSON form is stable: names are only
// ever added.
type Result struct {
	Scenario     string          `json:"scenario"`
	Title        string          `json:"title,omitempty"`
	Seed         uint64          `json:"seed"`
	Mode         Mode            `json:"mode"`
	Interrupted  bool            `json:"interrupted,omitempty"`
	Variants     []VariantResult `json:"variants"`
	Expectations []Expectation   `json:"expectations"`
}

// Mode says in which time a scenario was played.
type Mode string

const (
	Virtual Mode = "virtual"
	Real    Mode = "real"
)

// A VariantResult is one world's figures.
type VariantResult struct {
	Name         string                      `json:"name"`
	Metrics      Metrics                     `json:"metrics"`
	Dependencies map[string]DependencyResult `json:"dependencies"`
	Classes      map[string]Metrics          `json:"classes"`
	// Published are the figures others printed for this variant, by path.
	Published map[string]float64 `json:"published,omitempty"`
	// Series are the figures over time, for charts.
	Series *Series `json:"-"`
}

// Metrics are the figures of one load, or of all of them.
type Metrics struct {
	Requests int64 `json:"requests"`
	OK       int64 `json:"ok"`       // answered by the dependency
	Degraded int64 `json:"degraded"` // answered by an alternative
	Failed   int64 `json:"failed"`   // a call was made and there is no answer
	// Refused counts requests that failed without any call, by reason;
	// queue_full is the service's own full queue.
	Refused map[string]int64 `json:"refused"`
	// Hung counts requests without an answer when the run ended.
	Hung int64 `json:"hung,omitempty"`
	// Orphaned counts requests that a service finished after its caller left.
	Orphaned int64 `json:"orphaned,omitempty"`
	// ThroughputPerS is answers of any kind by the time of the last one.
	ThroughputPerS float64 `json:"throughput_per_s"`
	// SuccessRatio is ok by requests.
	SuccessRatio float64 `json:"success_ratio"`
	// Amplification is calls that reached dependencies by requests that were
	// not refused by a full queue.
	Amplification  float64    `json:"amplification"`
	LatencyMs      Quantiles  `json:"latency_ms"`
	FaultLatencyMs *Quantiles `json:"fault_latency_ms,omitempty"`
	CompletedPerS  []int64    `json:"completed_per_s"`
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
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

// DependencyResult is what reached one dependency, and what the guards of its
// callers did.
type DependencyResult struct {
	Calls            int64         `json:"calls"`
	CallsDuringFault int64         `json:"calls_during_fault"`
	PeakInFlight     int           `json:"peak_in_flight"`
	Windows          WindowsResult `json:"windows"`
	Transitions      []Transition  `json:"transitions"`
}

// WindowsResult are the arrivals at a dependency in windows.
type WindowsResult struct {
	WidthMs    float64 `json:"width_ms"`
	Counts     []int64 `json:"counts"`
	PeakPerS   float64 `json:"peak_per_s"`
	MeanPerS   float64 `json:"mean_per_s"`
	PeakToMean float64 `json:"peak_to_mean"`
	CV         float64 `json:"cv"` // coefficient of variation
}

// Transition is a change of a breaker's state.
type Transition struct {
	TS   float64 `json:"t_s"`
	From string  `json:"from"`
	To   string  `json:"to"`
}

// An Expectation is one line of a scenario's expect section, checked.
type Expectation struct {
	Text   string  `json:"text"`
	Holds  bool    `json:"holds"`
	Figure float64 `json:"figure"`
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
