package admin

import (
	"net/http"
	"time"

	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/proxy"
)

// status answers with what the proxy knows now. The names of the document do not
// depend on those of Go: docs/admin.md lists them.
func (a *Admin) status(w http.ResponseWriter, _ *http.Request) { sendJSON(w, show(a.proxy.Status())) }

type statusView struct {
	At           time.Time             `json:"at"`
	Since        time.Time             `json:"since"`
	Draining     bool                  `json:"draining"`
	Policy       policyView            `json:"policy"`
	Egress       *proxy.ListenerStatus `json:"egress"`
	Ingress      *proxy.ListenerStatus `json:"ingress"`
	Undeclared   uint64                `json:"undeclared"`
	Loops        uint64                `json:"loops"`
	Inbound      *inboundView          `json:"inbound"`
	Dependencies []dependencyView      `json:"dependencies"`
}

type policyView struct {
	Path     string     `json:"path"`
	Hash     string     `json:"hash"`
	Since    time.Time  `json:"since"`
	Rejected *rejection `json:"rejected"`
}

type dependencyView struct {
	Name           string            `json:"name"`
	Local          bool              `json:"local"`
	InFlight       int               `json:"in_flight"`
	Tunnels        int               `json:"tunnels"`
	Calls          map[string]uint64 `json:"calls"`
	Attempts       map[string]uint64 `json:"attempts"`
	Refused        map[string]uint64 `json:"refused"`
	RetriesRefused map[string]uint64 `json:"retries_refused"`
	Degraded       map[string]uint64 `json:"degraded"`
	Unanswered     uint64            `json:"unanswered"`
	Latency        histogramView     `json:"latency"`
	Execution      histogramView     `json:"execution"`
	Queue          histogramView     `json:"queue"`
	Breaker        *breakerView      `json:"breaker"`
	Bulkhead       *bulkheadView     `json:"bulkhead"`
	Budget         *budgetView       `json:"budget"`
	Kept           keptView          `json:"kept"`
	Fault          *faultView        `json:"fault"`
}

type breakerView struct {
	State       string            `json:"state"`
	Transitions map[string]uint64 `json:"transitions"`
}

type bulkheadView struct {
	Limit       int     `json:"limit"`
	Guaranteed  int     `json:"guaranteed"`
	InFlight    int     `json:"in_flight"`
	Lingering   int     `json:"lingering"`
	Waiting     int     `json:"waiting"`
	OldestWaitS float64 `json:"oldest_wait_seconds"`
}

type budgetView struct {
	Balance float64 `json:"balance"`
}

type keptView struct {
	Answers int   `json:"answers"`
	Bytes   int64 `json:"bytes"`
}

type histogramView struct {
	Count   uint64       `json:"count"`
	SumS    float64      `json:"sum_seconds"`
	Buckets []bucketView `json:"buckets"`
}

// A bucketView is how many durations were at most LeS. Those above the last one
// are in the count only.
type bucketView struct {
	LeS   float64 `json:"le_seconds"`
	Count uint64  `json:"count"`
}

func show(s proxy.Status) statusView {
	v := statusView{
		At: s.At, Since: s.Since, Draining: s.Draining,
		Policy: policyView{s.Policy.Path, s.Policy.Hash, s.Policy.Since, rejected(s.Policy.Fault, s.Policy.FaultAt)},
		Egress: s.Egress, Ingress: s.Ingress, Undeclared: s.Undeclared, Loops: s.Loops,
		Inbound:      showInbound(s.Inbound),
		Dependencies: []dependencyView{},
	}
	for _, d := range s.Dependencies {
		v.Dependencies = append(v.Dependencies, showDependency(d))
	}
	return v
}

func showDependency(d proxy.DependencyStatus) dependencyView {
	v := dependencyView{
		Name: d.Name, Local: d.Local, InFlight: d.InFlight, Tunnels: d.Tunnels,
		Calls: d.Calls, Attempts: d.Attempts, Refused: d.Refused, RetriesRefused: d.Retries,
		Degraded: d.Degraded, Unanswered: d.Unanswered,
		Latency:   showHistogram(d.Latency.Buckets[:], d.Latency.Sum),
		Execution: showHistogram(d.Executed.Buckets[:], d.Executed.Sum),
		Queue:     showHistogram(d.Queued.Buckets[:], d.Queued.Sum),
		Bulkhead:  showBulkhead(d.Bulkhead), Kept: keptView{d.Kept, d.KeptBytes}, Fault: showFault(d.Fault),
	}
	if d.Breaker != "" {
		v.Breaker = &breakerView{d.Breaker, d.Transitions}
	}
	if d.Balance != nil {
		v.Budget = &budgetView{*d.Balance}
	}
	return v
}

func showBulkhead(b *bulkhead.Stats) *bulkheadView {
	if b == nil {
		return nil
	}
	return &bulkheadView{b.Limit, b.Guaranteed, b.InFlight, b.Lingering, b.Waiting, b.OldestWait.Seconds()}
}

// showHistogram shows counts in the buckets of proxy.Bounds, which are those of
// inbound.Bounds.
func showHistogram(buckets []uint64, sum time.Duration) histogramView {
	v := histogramView{SumS: sum.Seconds()}
	for i, n := range buckets {
		v.Count += n
		if i < len(proxy.Bounds) {
			v.Buckets = append(v.Buckets, bucketView{proxy.Bounds[i].Seconds(), v.Count})
		}
	}
	return v
}
