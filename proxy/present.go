package proxy

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/fallback"
	"github.com/stanch-go/stanch/stanchhttp"
)

// The headers in which a client is told how it came by its answer.
const (
	HeaderSource   = "Stanch-Source"          // live, or the name of the alternative
	HeaderAttempts = "Stanch-Attempts"        // how often the dependency was asked
	HeaderRefused  = stanchhttp.HeaderRefused // why a guard did not ask it, or not again
)

// What nearly every answer says is written once and shared.
var liveSource, onlyAttempt = []string{fallback.Live}, []string{"1"}

var errUpgrade = errors.New("proxy: the dependency changed to another protocol than it was asked for")

// present makes an answer the client's.
func (r *route) present(resp *http.Response) error {
	x := exchangeOf(resp.Request.Context())
	if resp.StatusCode == http.StatusSwitchingProtocols && !strings.EqualFold(resp.Header.Get("Upgrade"), resp.Request.Header.Get("Upgrade")) {
		return errUpgrade
	}
	h := resp.Header
	if len(resp.Trailer) > 0 {
		h.Del("Content-Length") // beside which HTTP/1.1 has no trailers; HTTP/2, from which they may come, has
	}
	h[HeaderSource] = liveSource
	h[HeaderAttempts] = onlyAttempt
	if x.number != 1 {
		h.Set(HeaderAttempts, strconv.Itoa(x.number))
	}
	if x.source != fallback.Live {
		h.Set(HeaderSource, x.source)
		if refusal, ok := errors.AsType[*stanch.Refusal](x.cause); ok {
			h.Set(HeaderRefused, refusal.Reason.Label())
		}
	}
	r.proxy.addVia(h, version(resp))
	if r.proxy.drains.Load() && resp.StatusCode != http.StatusSwitchingProtocols {
		h.Set("Connection", "close")
	}
	return nil
}

func version(resp *http.Response) string {
	switch resp.ProtoMajor {
	case 2:
		return "2.0"
	case 0: // made here
		return "1.1"
	}
	return strings.TrimPrefix(resp.Proto, "HTTP/")
}
