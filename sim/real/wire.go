package real

import (
	"context"
	"errors"
	"net/http"
	"os"
)

// wire is the bare way to one target. It counts attempts, and ends the run when
// the machine fails: in this world servers are slow and say no, but no
// connection is lost unless the caller gave it up.
type wire struct {
	w    *world
	base *http.Transport
}

func (w *world) newWire() *wire {
	return &wire{w, &http.Transport{
		MaxIdleConnsPerHost: 2 * maxOutstanding, // connections are kept, else it is their making that is measured
		DisableCompression:  true,
	}}
}

type attemptsKey struct{}

// counting returns a context in which wires add to n.
func counting(ctx context.Context, n *int) context.Context {
	return context.WithValue(ctx, attemptsKey{}, n)
}

func (t *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	if n, ok := ctx.Value(attemptsKey{}).(*int); ok {
		*n++ // on the caller's goroutine
	}
	resp, err := t.base.RoundTrip(req)
	if err != nil && ctx.Err() == nil && !late(err) {
		t.w.fail(err)
	}
	return resp, err
}

// late reports whether the caller's time ended a request. The error may come a
// moment before that of the context: dialling has a timer of its own.
func late(err error) bool {
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded)
}
