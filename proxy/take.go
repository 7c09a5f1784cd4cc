package proxy

import (
	"net/http"
	"time"
)

// take prepares the body of the client's request. One that is short, and whose
// client does not wait to be asked for it, is read before anything else: nothing
// is held meanwhile, and nobody else can be blamed for a slow client.
func (x *exchange) take(w http.ResponseWriter, req *http.Request) error {
	if req.Body == nil || req.Body == http.NoBody || req.ContentLength == 0 {
		return nil
	}
	h := x.route.dep.HTTP
	if req.ContentLength > int64(h.MaxBody) {
		return &clientError{&http.MaxBytesError{Limit: int64(h.MaxBody)}}
	}
	control := http.NewResponseController(w)
	idle := x.route.proxy.options.ClientIdle
	x.body = newReplay(source{
		Reader: http.MaxBytesReader(w, req.Body, int64(h.MaxBody)),
		within: func() { control.SetReadDeadline(time.Now().Add(idle)) },
		over:   func() { control.SetReadDeadline(time.Time{}) },
		stop:   func() bool { return control.SetReadDeadline(time.Unix(1, 0)) == nil },
	}, int(h.Replay))
	if req.ContentLength > 0 && req.ContentLength <= int64(h.Replay) && req.Header.Get("Expect") == "" {
		if err := x.body.fill(int(req.ContentLength)); err != nil {
			return &clientError{err}
		}
		return nil
	}
	// The answer may come before the body has ended; else the server would read
	// the rest itself before it passes the answer on.
	control.EnableFullDuplex() // HTTP/2 is
	return nil
}
