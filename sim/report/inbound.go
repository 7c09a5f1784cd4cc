package report

import (
	"slices"
	"strings"

	"github.com/stanch-go/stanch/internal/plot"
	"github.com/stanch-go/stanch/sim"
)

// admitted draws what services have in hand, and their limits.
func (b builder) admitted() panel {
	p := b.levels("Admitted", "admitted", "Requests that a service has taken in and not ended, the most at once in each step, and its concurrency limit.",
		limited(b.variants), level)
	p.Charts = slices.DeleteFunc(p.Charts, func(c chart) bool { return c.Note == "" }) // of those that take everything in
	return p
}

// limited names what there is to draw of services: what is in flight, and the
// limit, of all instances together.
func limited(variants []variant) (out []string) {
	for _, name := range names(variants, func(v variant) map[string]sim.ServiceResult { return v.Services }) {
		out = append(out, name+inFlightOf, name+limitOf)
	}
	return out
}

const (
	inFlightOf = " in flight"
	limitOf    = " limit"
)

func level(v variant, name string) []int {
	if service, ok := strings.CutSuffix(name, limitOf); ok {
		if s := v.series().Services[service]; s != nil {
			return s.Limit
		}
		return nil
	}
	if s := v.series().Services[strings.TrimSuffix(name, inFlightOf)]; s != nil {
		return s.InFlight
	}
	return nil
}

// limits are the limits of a variant that change, by the service's name.
func (v variant) limits() map[string][]float64 {
	out := map[string][]float64{}
	for name, s := range v.series().Services {
		if len(s.Limit) > 0 && slices.Min(s.Limit) < slices.Max(s.Limit) {
			out[name] = numbers(s.Limit)
		}
	}
	return out
}

// limit draws a limit that changes, from 0 to the highest of all variants.
func (c canvas) limit(v variant) {
	limits := v.limits()
	for _, name := range sortedKeys(limits) {
		line := make([]rune, c.columnsOf(v))
		for i, x := range c.rates(v, limits[name]) {
			line[i] = plot.Bar(x, c.topLimit)
		}
		label := "limit"
		if len(limits) > 1 {
			label = "limit " + plain(name)
		}
		c.row(label, c.in(faint, string(line)))
	}
}

// inboundLines are the groups about what was taken in.
func inboundLines(variants []variant) (out []lines) {
	ranked := map[string]bool{}
	for _, v := range variants {
		for p, r := range v.Priorities {
			if r.Requests > 0 {
				ranked[p] = true
			}
		}
	}
	for _, p := range []string{"critical-plus", "critical", "sheddable-plus", "sheddable"} {
		if len(ranked) > 1 && ranked[p] {
			at := "priorities." + p + "."
			out = append(out, lines{"priority " + p, []line{
				{at + "requests", "requests", "", number, false},
				{at + "ok", "ok", "", number, false},
				{at + "success_ratio", "success", "%", percent, true},
			}})
		}
	}
	for _, name := range names(variants, func(v variant) map[string]sim.ServiceResult { return v.Services }) {
		out = append(out, lines{"service " + name, serviceLines("services."+name+".", name, variants)})
	}
	return out
}

func serviceLines(at, name string, variants []variant) []line {
	out := []line{{at + "admitted", "admitted", "", number, true}}
	for _, by := range names(variants, func(v variant) map[string]int64 { return v.Services[name].RefusedBy }) {
		out = append(out, line{at + "refused_by." + by, "refused by " + strings.ReplaceAll(by, "_", " "), "", number, false})
	}
	out = append(out, line{at + "peak_in_flight", "peak in flight", "", number, false})
	for _, q := range names(variants, func(v variant) map[string]sim.QuotaResult { return v.Services[name].Quotas }) {
		of := at + "quotas." + q + "."
		out = append(out, []line{
			{of + "admitted", "quota " + q, "", number, false},
			{of + "used", "used", "%", percent, false},
			{of + "asked", "round trips", "", number, false},
			{of + "failed", "without answer", "", number, false},
			{of + "held_max", "held at most", "", number, false},
		}...)
	}
	return out
}
