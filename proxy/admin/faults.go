package admin

import (
	"net/http"
	"strconv"
	"time"

	"github.com/stanch-go/stanch/proxy"
)

// What a fault is when the request does not say, and the longest it may last: one
// that is forgotten must end by itself, and soon.
const (
	usualDelay  = 2 * time.Second
	usualStatus = http.StatusServiceUnavailable
	usualFault  = time.Minute
	maxFault    = 10 * time.Minute
	maxDelay    = time.Minute
)

// The kinds of faults.
const (
	kindDelay = "delay"
	kindAbort = "abort"
	kindClose = "close"
	kindHang  = "hang"
	kindNone  = "none"
)

func (a *Admin) setFault(w http.ResponseWriter, req *http.Request) {
	name, ok := a.known(w, req)
	if !ok {
		return
	}
	given := fields(w, req, "kind", "delay", "status", "share", "for")
	if given == nil {
		return
	}
	if given["kind"] == kindNone {
		a.proxy.ClearFault(name)
		a.done(w, req, faultAnswer{name, nil})
		return
	}
	f, faults := fault(given, time.Now())
	if len(faults) > 0 {
		refuseFields(w, req, faults...)
		return
	}
	if err := a.proxy.SetFault(name, f); err != nil {
		refuse(w, req, problem{Status: http.StatusConflict, Detail: err.Error()}) // the policy has changed meanwhile
		return
	}
	a.done(w, req, faultAnswer{name, showFault(&f)})
}

func (a *Admin) endFault(w http.ResponseWriter, req *http.Request) {
	name, ok := a.known(w, req)
	if !ok {
		return
	}
	a.proxy.ClearFault(name)
	a.done(w, req, faultAnswer{name, nil})
}

type faultAnswer struct {
	Dependency string     `json:"dependency"`
	Fault      *faultView `json:"fault"`
}

// A faultView is a fault as it is asked for and shown.
type faultView struct {
	Kind   string    `json:"kind"`
	Delay  string    `json:"delay,omitempty"`
	Status int       `json:"status,omitempty"`
	Share  float64   `json:"share"`
	Until  time.Time `json:"until"`
}

func showFault(f *proxy.Fault) *faultView {
	if f == nil {
		return nil
	}
	v := &faultView{Kind: kindDelay, Share: f.Share, Until: f.Until}
	switch {
	case f.Hang:
		v.Kind = kindHang
	case f.Abort > 0:
		v.Kind, v.Status = kindAbort, f.Abort
	case f.Abort < 0:
		v.Kind = kindClose
	}
	if f.Delay > 0 {
		v.Delay = f.Delay.String()
	}
	return v
}

// fault reads a fault from the fields of a request, and returns all that is wrong
// with them.
func fault(given map[string]string, now time.Time) (f proxy.Fault, faults []fieldFault) {
	wrong := func(field, fault string, allowed ...string) {
		faults = append(faults, fieldFault{field, fault + ", is " + strconv.Quote(given[field]), allowed})
	}
	kind := given["kind"]
	for _, f := range []struct{ field, of string }{{"delay", kindDelay}, {"status", kindAbort}} {
		if given[f.field] != "" && kind != f.of && kind != "" {
			wrong(f.field, "has an effect with kind "+f.of+" only")
		}
	}
	switch kind {
	case kindDelay:
		f.Delay = usualDelay
		if text := given["delay"]; text != "" {
			var err error
			if f.Delay, err = time.ParseDuration(text); err != nil || f.Delay <= 0 || f.Delay > maxDelay {
				wrong("delay", "must be a duration above 0s, up to 1m, such as 2s or 300ms")
			}
		}
	case kindAbort:
		f.Abort = usualStatus
		if text := given["status"]; text != "" {
			var err error
			if f.Abort, err = strconv.Atoi(text); err != nil || f.Abort < 400 || f.Abort > 599 {
				wrong("status", "must be a number from 400 to 599")
			}
		}
	case kindClose:
		f.Abort = -1
	case kindHang:
		f.Hang = true
	default:
		faults = append(faults, unknown("kind", kind, kindDelay, kindAbort, kindClose, kindHang, kindNone))
	}
	f.Share = 1
	if text := given["share"]; text != "" {
		var err error
		if f.Share, err = strconv.ParseFloat(text, 64); err != nil || !(f.Share > 0 && f.Share <= 1) {
			wrong("share", "must be a number above 0, up to 1")
		}
	}
	length := usualFault
	if text := given["for"]; text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil || length <= 0 || length > maxFault {
			wrong("for", "must be a duration above 0s, up to 10m, such as 30s")
		}
	}
	f.Until = now.Add(length)
	return f, faults
}
