package stanchhttp

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/internal/answer"
)

// The headers of draft-ietf-httpapi-ratelimit-headers, as net/http spells them.
const (
	headerRateLimit       = "Ratelimit"
	headerRateLimitPolicy = "Ratelimit-Policy"
)

// A policy is the part of RateLimit-Policy that tells of one limit.
type policy struct {
	text string
	only []string // the header of an answer that tells of no other
	name string   // as the item of RateLimit begins
}

func policiesOf(control *inbound.Controller) map[*inbound.Terms]policy {
	m := map[*inbound.Terms]policy{}
	for _, t := range control.Terms() {
		name := `"` + t.Name + `"`
		q, w := perSeconds(t.Rate, t.Window)
		text := name + ";q=" + strconv.FormatInt(q, 10) + ";w=" + strconv.FormatInt(w, 10)
		m[t] = policy{text, []string{text}, name}
	}
	return m
}

// most is the largest integer of a structured field, RFC 9651.
const most = 999_999_999_999_999

// perSeconds tells a rate as a whole number of requests in whole seconds, of which
// the header knows nothing finer. It is never above the rate.
func perSeconds(rate float64, window time.Duration) (q, w int64) {
	w = max(1, answer.Seconds(window))
	perWindow := rate * (float64(w) / window.Seconds())
	if perWindow < 1 {
		return 1, whole(math.Ceil(window.Seconds() / rate))
	}
	return whole(perWindow), w
}

func whole(x float64) int64 {
	if x >= most {
		return most
	}
	return int64(x)
}

// announce tells the client about its limits, unless the handler has.
func (s *served) announce() {
	s.in.announce(s.out.ResponseWriter.Header(), &s.admission)
}

func (in *intake) announce(h http.Header, a *inbound.Admission) {
	states := a.States()
	if len(states) == 0 || h[headerRateLimit] != nil || h[headerRateLimitPolicy] != nil {
		return
	}
	var policies, limits [256]byte
	p, l := policies[:0], limits[:0]
	for i := range states {
		of := in.policies[states[i].Terms]
		if len(states) > 1 {
			p = append(separated(p), of.text...)
		}
		if math.IsInf(states[i].Remaining, 1) {
			continue // a quota without its store admits everything
		}
		l = append(separated(l), of.name...)
		l = append(l, ";r="...)
		l = strconv.AppendInt(l, min(states[i].Whole(), most), 10)
		l = append(l, ";t="...)
		l = strconv.AppendInt(l, answer.Seconds(max(0, states[i].ResetAfter)), 10)
	}
	if len(states) == 1 {
		h[headerRateLimitPolicy] = in.policies[states[0].Terms].only
	} else {
		h[headerRateLimitPolicy] = []string{string(p)}
	}
	if len(l) > 0 {
		h[headerRateLimit] = []string{string(l)}
	}
}

func separated(b []byte) []byte {
	if len(b) > 0 {
		b = append(b, ", "...)
	}
	return b
}
