package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"time"
)

// A Fault makes a dependency worse than it is, for a share of the attempts and
// for a while. It strikes inside the attempt: time limits, retries and breaker
// take it for the dependency's own.
type Fault struct {
	// Delay is added before the attempt is sent.
	Delay time.Duration `json:"delay,omitempty"`
	// Abort answers with this status instead of sending the attempt; -1 closes
	// the connection. 0 is none.
	Abort int `json:"abort,omitempty"`
	// Hang gives no answer at all.
	Hang bool `json:"hang,omitempty"`
	// Share of the attempts that are struck, above 0 up to 1.
	Share float64 `json:"share"`
	// Until is when it ends by itself.
	Until time.Time `json:"until"`
}

// maxFault is the longest that a fault may be set for: one that is forgotten must
// end by itself.
const maxFault = time.Hour

// Validate returns everything that is wrong with the fault.
func (f Fault) Validate() error {
	var faults []error
	if f.Delay < 0 || f.Delay > time.Minute {
		faults = append(faults, fmt.Errorf("delay: must be between 0s and 1m, is %v", f.Delay))
	}
	if f.Abort != 0 && f.Abort != -1 && (f.Abort < 400 || f.Abort > 599) {
		faults = append(faults, fmt.Errorf("abort: must be between 400 and 599, or -1, is %d", f.Abort))
	}
	if f.Delay == 0 && f.Abort == 0 && !f.Hang {
		faults = append(faults, errors.New("delay: or abort, or hang must be given"))
	}
	if !(f.Share > 0 && f.Share <= 1) {
		faults = append(faults, fmt.Errorf("share: must be above 0 and at most 1, is %v", f.Share))
	}
	if left := time.Until(f.Until); left <= 0 || left > maxFault {
		faults = append(faults, fmt.Errorf("until: must be within the next %v, is %v", maxFault, f.Until.Format(time.RFC3339)))
	}
	return errors.Join(faults...)
}

// SetFault sets the fault of a dependency, in place of one that it may have, or
// returns what is wrong with it.
func (p *Proxy) SetFault(dependency string, f Fault) error {
	if err := f.Validate(); err != nil {
		return err
	}
	l, ok := p.known(dependency)
	if !ok {
		return fmt.Errorf("there is no dependency %q", dependency)
	}
	l.fault.Store(&f)
	p.events.add(Event{Kind: KindFault, Dependency: dependency, Text: "set: " + f.String()})
	p.options.Log.Warn("fault set", "dependency", dependency, "fault", f.String())
	return nil
}

// ClearFault ends the fault of a dependency, and reports whether it had one.
func (p *Proxy) ClearFault(dependency string) bool {
	l, ok := p.known(dependency)
	if !ok || !l.active(l.fault.Swap(nil)) {
		return false
	}
	p.events.add(Event{Kind: KindFault, Dependency: dependency, Text: "cleared"})
	p.options.Log.Info("fault cleared", "dependency", dependency)
	return true
}

func (p *Proxy) known(dependency string) (*life, bool) {
	r := p.table.Load().byName[dependency]
	if r == nil {
		return nil, false
	}
	return r.life, true
}

func (f Fault) String() string {
	what := ""
	if f.Delay > 0 {
		what = fmt.Sprintf("delay %v, ", f.Delay)
	}
	switch {
	case f.Hang:
		what += "hang, "
	case f.Abort == -1:
		what += "close the connection, "
	case f.Abort != 0:
		what += fmt.Sprintf("answer %d, ", f.Abort)
	}
	return fmt.Sprintf("%s%.4g %% until %s", what, 100*f.Share, f.Until.Format(time.TimeOnly))
}

// active reports whether a fault strikes now.
func (l *life) active(f *Fault) bool { return f != nil && time.Now().Before(f.Until) }

// errAborted is a connection that a fault has closed, as net/http tells of one
// that the dependency has.
var errAborted = &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}

// afflict lets the fault strike, if there is one: it returns nil after a delay,
// or an error, or the status to answer with.
func (l *life) afflict(ctx context.Context) (status int, err error) {
	f := l.fault.Load()
	if !l.active(f) || l.proxy.options.Rand() >= f.Share {
		return 0, nil
	}
	if f.Delay > 0 {
		timer := time.NewTimer(f.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
	switch {
	case f.Hang:
		<-ctx.Done() // the guard's time limit, or the client
		return 0, context.Cause(ctx)
	case f.Abort == -1:
		return 0, errAborted
	}
	return f.Abort, nil
}

// strike lets the fault strike an attempt. It returns nothing when the attempt
// is to be made.
func (l *life) strike(req *http.Request) (*http.Response, error) {
	status, err := l.afflict(req.Context())
	if status == 0 && err == nil {
		return nil, nil
	}
	if req.Body != nil {
		req.Body.Close()
	}
	if err != nil {
		return nil, err
	}
	return response(status, http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, []byte("stanch: a fault that was set\n")), nil
}
