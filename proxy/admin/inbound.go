package admin

import (
	"github.com/stanch-go/stanch/proxy"
	"github.com/stanch-go/stanch/shed"
)

type inboundView struct {
	Service  string             `json:"service"`
	Requests []arrivalView      `json:"requests"`
	Ended    map[string]uint64  `json:"ended"`
	InFlight int                `json:"in_flight"`
	Waiting  int                `json:"waiting"`
	Limit    *int               `json:"limit"`
	LetIn    map[string]float64 `json:"let_in"`
	Adaptive *adaptiveView      `json:"adaptive"`
	Wait     histogramView      `json:"wait"`
	Work     histogramView      `json:"work"`
}

// An arrivalView is how many requests met the same fate.
type arrivalView struct {
	Result   string `json:"result"`
	Reason   string `json:"reason"`
	By       string `json:"by"`
	Priority string `json:"priority"`
	Count    uint64 `json:"count"`
}

type adaptiveView struct {
	Limit    int     `json:"limit"`
	BaseS    float64 `json:"base_seconds"`
	LatencyS float64 `json:"latency_seconds"`
	Reason   string  `json:"reason"`
}

func showInbound(s *proxy.InboundStatus) *inboundView {
	if s == nil {
		return nil
	}
	now := s.Stats.Shed
	v := &inboundView{
		Service: s.Service, Ended: s.Counts.Ended, InFlight: now.InFlight, Waiting: now.Waiting, LetIn: map[string]float64{},
		Wait: showHistogram(s.Counts.Wait.Buckets[:], s.Counts.Wait.Sum), Work: showHistogram(s.Counts.Work.Buckets[:], s.Counts.Work.Sum),
	}
	for _, c := range s.Counts.Requests {
		v.Requests = append(v.Requests, arrivalView{c.Step.String(), c.Reason.Label(), c.By, c.Priority.String(), c.Requests})
	}
	for p := shed.Sheddable; p <= shed.CriticalPlus; p++ {
		v.LetIn[p.String()] = now.LetIn(p)
	}
	if now.Limit > 0 {
		v.Limit = new(now.Limit)
	}
	if a := s.Stats.Adaptive; a != nil {
		v.Adaptive = &adaptiveView{a.Limit, a.Base.Seconds(), a.Latency.Seconds(), string(a.Reason)}
	}
	return v
}
