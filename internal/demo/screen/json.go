package screen

import (
	"encoding/json"
	"io"
	"time"

	"github.com/stanch-go/stanch/internal/demo"
)

// JSON writes the figures as one object on one line.
func JSON(w io.Writer, r demo.Report) error {
	return json.NewEncoder(w).Encode(struct {
		Seconds float64   `json:"seconds"`
		Early   bool      `json:"early,omitempty"`
		Rate    int       `json:"rate"`
		StallS  float64   `json:"stall_s"`
		LateMs  float64   `json:"late_ms"` // how busy the machine was
		Bare    inNumbers `json:"bare"`
		Guarded inNumbers `json:"guarded"`
	}{seconds(r.Elapsed), r.Early, r.Config.Rate, seconds(r.Config.Stall), milliseconds(r.Late), numbers(r.Bare), numbers(r.Guarded)})
}

type inNumbers struct {
	Answered        int     `json:"answered"`
	Degraded        int     `json:"degraded"`
	Failed          int     `json:"failed"`
	GaveUp          int     `json:"gave_up"`
	Waiting         int     `json:"waiting"`
	WaitedP50Ms     float64 `json:"waited_p50_ms"`
	WaitedP99Ms     float64 `json:"waited_p99_ms"`
	SilentS         float64 `json:"silent_s"`
	Calls           int     `json:"calls"`
	PeakCalls       int     `json:"peak_calls"`
	AnsweredPerTick []int   `json:"answered_per_s"`
	DegradedPerTick []int   `json:"degraded_per_s"`
}

func numbers(s demo.Service) inNumbers {
	n := inNumbers{
		Answered: s.Live, Degraded: s.Degraded, Failed: s.Failed, GaveUp: s.GaveUp, Waiting: s.Waiting,
		WaitedP50Ms: milliseconds(s.P50), WaitedP99Ms: milliseconds(s.P99), SilentS: seconds(s.Silence),
		Calls: s.Calls, PeakCalls: s.Peak,
		AnsweredPerTick: []int{}, DegradedPerTick: []int{},
	}
	for _, t := range s.Ticks {
		n.AnsweredPerTick = append(n.AnsweredPerTick, t.Live)
		n.DegradedPerTick = append(n.DegradedPerTick, t.Degraded)
	}
	return n
}

func seconds(d time.Duration) float64      { return d.Round(time.Millisecond).Seconds() }
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
