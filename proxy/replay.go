package proxy

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// A replay is the body of a request on its way from the client. The first part
// of it is kept as it passes, so that another attempt can send it again; when
// more than that has passed, no other attempt is possible. At most one reader,
// that of the latest attempt, gets anything.
type replay struct {
	limit int
	allow func(idle bool) // sets or clears the client's time for the next read
	src   io.ReadCloser

	mu      sync.Mutex
	changed sync.Cond // of what follows
	kept    []byte
	passed  int  // how much the client has sent
	spilled bool // which is more than is kept
	reading bool // somebody waits for the client
	err     error
	latest  int // number of the reader that may read
	closed  bool
}

// errSpilled should not be seen: whoever asks Rewinds first does not meet it.
var errSpilled = errors.New("proxy: the body is too long to be sent again")

// take prepares the request's body. One that is short, and whose client does not
// wait to be asked for it, is read before anything else: nothing is held
// meanwhile, and nobody else can be blamed for a slow client.
func (x *exchange) take(w http.ResponseWriter, req *http.Request) error {
	if req.Body == nil || req.Body == http.NoBody || req.ContentLength == 0 {
		return nil
	}
	h := x.route.dep.HTTP
	if req.ContentLength > int64(h.MaxBody) {
		return &clientError{&http.MaxBytesError{Limit: int64(h.MaxBody)}}
	}
	rc := http.NewResponseController(w)
	idle := x.route.proxy.options.ClientIdle
	x.body = &replay{limit: int(h.Replay), src: http.MaxBytesReader(w, req.Body, int64(h.MaxBody)), allow: func(reading bool) {
		var until time.Time
		if reading {
			until = time.Now().Add(idle)
		}
		rc.SetReadDeadline(until) // where that is not possible, the client's context ends it
	}}
	x.body.changed.L = &x.body.mu
	if req.ContentLength > 0 && req.ContentLength <= int64(h.Replay) && req.Header.Get("Expect") == "" {
		return x.body.fill(int(req.ContentLength))
	}
	return nil
}

// fill reads all of a short body.
func (b *replay) fill(length int) error {
	b.kept = make([]byte, length)
	b.allow(true)
	n, err := io.ReadFull(b.src, b.kept)
	b.kept, b.passed = b.kept[:n], n
	if err != nil {
		return &clientError{err}
	}
	b.allow(false)
	b.err = io.EOF
	return nil
}

// first returns the body for the first attempt.
func (b *replay) first() io.ReadCloser { return &reader{replay: b, number: b.latest} }

// again returns the body from its beginning, and cuts off the reader before.
func (b *replay) again() (io.ReadCloser, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.spilled {
		return nil, errSpilled
	}
	b.latest++
	b.changed.Broadcast()
	return &reader{replay: b, number: b.latest}, nil
}

// rewinds reports whether again would give all of it.
func (b *replay) rewinds() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.spilled && (b.err == nil || b.err == io.EOF)
}

// fault returns what is wrong with what the client sent, and whether more of it
// is being waited for.
func (b *replay) fault() (fault error, waiting bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil && b.err != io.EOF {
		fault = b.err
	}
	return fault, b.reading
}

var errStalled = errors.New("proxy: the client did not send the body in time")

// Close ends all reading. The client's connection is the server's to close.
func (b *replay) Close() {
	b.mu.Lock()
	b.closed = true
	b.changed.Broadcast()
	b.mu.Unlock()
}

// A reader is the body of one attempt.
type reader struct {
	*replay
	number int
	at     int
	closed bool // guarded by the replay's mutex
}

// Rewinds implements stanchhttp.Rewinder.
func (r *reader) Rewinds() bool { return r.rewinds() }

func (r *reader) over() bool { return r.closed || r.replay.closed || r.number != r.latest }

// Read gives what is kept, and then what the client sends.
func (r *reader) Read(p []byte) (int, error) {
	b := r.replay
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		switch {
		case r.over():
			return 0, http.ErrBodyReadAfterClose
		case !b.spilled && r.at < len(b.kept):
			n := copy(p, b.kept[r.at:])
			r.at += n
			return n, nil
		case b.err != nil:
			return 0, b.err
		case r.at != b.passed && !b.reading:
			return 0, errSpilled // an attempt before this one took what was not kept
		case b.reading: // for an attempt before this one
			b.changed.Wait()
		default:
			return r.next(p)
		}
	}
}

// next reads from the client. The caller holds mu.
func (r *reader) next(p []byte) (int, error) {
	b := r.replay
	b.reading = true
	b.mu.Unlock()
	b.allow(true)
	n, err := b.src.Read(p)
	if err == io.EOF {
		b.allow(false)
	}
	b.mu.Lock()
	b.reading = false
	b.changed.Broadcast()
	b.passed += n
	if b.passed > b.limit {
		b.spilled, b.kept = true, nil
	} else {
		b.kept = append(b.kept, p[:n]...)
	}
	r.at += n
	b.err = err
	return n, err
}

// Close ends this attempt's reading.
func (r *reader) Close() error {
	r.mu.Lock()
	r.closed = true
	r.changed.Broadcast()
	r.mu.Unlock()
	return nil
}
