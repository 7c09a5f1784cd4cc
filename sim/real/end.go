package real

import (
	"net/http"

	"github.com/stanch-go/stanch/sim"
	"github.com/stanch-go/stanch/stanchhttp"
)

// ending is how a request ended, and why if it was refused.
type ending struct {
	how    sim.End
	reason string
}

// Services tell in these headers what the status does not say.
const (
	degradedHeader = "Sim-Degraded"
	refusedHeader  = "Sim-Refused"
)

func writeEnd(rw http.ResponseWriter, e ending) {
	switch e.how {
	case sim.EndDegraded:
		rw.Header().Set(degradedHeader, "true")
	case sim.EndFailed:
		rw.WriteHeader(http.StatusServiceUnavailable)
	case sim.EndRefused:
		rw.Header().Set(refusedHeader, e.reason)
		rw.WriteHeader(http.StatusServiceUnavailable)
	}
}

func readEnd(resp *http.Response) ending {
	reason := resp.Header.Get(refusedHeader)
	turned := resp.Header.Get(stanchhttp.HeaderRefused)
	switch {
	case reason == "" && turned != "":
		return ending{sim.EndTurned, turned}
	case reason != "":
		return ending{sim.EndRefused, reason}
	case resp.StatusCode != http.StatusOK:
		return ending{how: sim.EndFailed}
	case resp.Header.Get(degradedHeader) != "":
		return ending{how: sim.EndDegraded}
	}
	return ending{}
}
