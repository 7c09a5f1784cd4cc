package proxy

import (
	"errors"
	"io"
	"net/http"
	"sync"
)

// A replay is the body of a request on its way from the client. The first part
// of it is kept as it passes, so that another attempt can send it again; when
// more than that has passed, no other attempt is possible. Nobody waits for the
// client itself but a goroutine that is made for it: an attempt can end at any
// time.
type replay struct {
	limit int
	src   source

	mu      sync.Mutex
	changed sync.Cond // of what follows
	have    []byte    // of the body, from off on
	off     int       // 0 until more than limit has come
	err     error     // at the end of have
	fetches bool      // somebody waits for the client
	latest  *reader   // who may read
	closed  bool
}

// A source is the client's side of a body.
type source struct {
	io.Reader
	within func() // bounds the next read
	over   func() // takes the bound away, for what follows on the connection
	stop   func() bool
}

// errSpilled should not be seen: whoever asks Rewinds first does not meet it.
var errSpilled = errors.New("proxy: the body is too long to be sent again")

var errStalled = errors.New("proxy: the client did not send the body in time")

func newReplay(src source, limit int) *replay {
	b := &replay{src: src, limit: limit}
	b.changed.L = &b.mu
	return b
}

// fill reads all of a short body.
func (b *replay) fill(length int) error {
	b.have = make([]byte, length)
	b.src.within()
	n, err := io.ReadFull(b.src, b.have)
	b.have = b.have[:n]
	if err != nil {
		return err
	}
	b.src.over()
	b.err = io.EOF
	return nil
}

// again returns the body from its beginning, and cuts off the reader before.
func (b *replay) again() (io.ReadCloser, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.off > 0 {
		return nil, errSpilled
	}
	b.latest = &reader{replay: b}
	b.changed.Broadcast()
	return b.latest, nil
}

// Close ends all reading. When it returns nobody reads from the client.
func (b *replay) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.changed.Broadcast()
	for b.fetches && b.src.stop() {
		b.changed.Wait()
	}
}

// fault returns what is wrong with what the client sent, and whether more of it
// is being waited for. When the client's context has ended, that may be because
// of what is about to be read.
func (b *replay) fault(ended bool) (fault error, waiting bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for ended && b.fetches {
		b.changed.Wait()
	}
	if b.err != nil && b.err != io.EOF {
		fault = b.err
	}
	return fault, b.fetches
}

// fetch reads once from the client.
func (b *replay) fetch() {
	buf := buffers{}.Get()
	defer buffers{}.Put(buf)
	b.src.within()
	n, err := b.src.Read(buf)
	if err == io.EOF {
		b.src.over()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.off > 0 || len(b.have)+n > b.limit {
		b.drop(b.latest.at)
	}
	b.have, b.err, b.fetches = append(b.have, buf[:n]...), err, false
	b.changed.Broadcast()
}

// drop forgets the body before a position. The caller holds mu.
func (b *replay) drop(at int) {
	rest := copy(b.have, b.have[at-b.off:])
	b.have, b.off = b.have[:rest], at
}

// A reader is the body of one attempt.
type reader struct {
	*replay
	at     int
	closed bool // guarded by the replay's mutex
}

// Rewinds implements stanchhttp.Rewinder.
func (r *reader) Rewinds() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.off == 0 && (r.err == nil || r.err == io.EOF)
}

// Read gives what has come, and waits for more.
func (r *reader) Read(p []byte) (int, error) {
	b := r.replay
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		switch {
		case r.closed || b.closed || r != b.latest:
			return 0, http.ErrBodyReadAfterClose
		case r.at < b.off:
			return 0, errSpilled
		case r.at < b.off+len(b.have):
			n := copy(p, b.have[r.at-b.off:])
			r.at += n
			if b.off > 0 {
				b.drop(r.at)
			}
			return n, nil
		case b.err != nil:
			return 0, b.err
		case !b.fetches:
			b.fetches = true
			go b.fetch()
		}
		b.changed.Wait()
	}
}

// Close ends this attempt's reading.
func (r *reader) Close() error {
	r.mu.Lock()
	r.closed = true
	r.changed.Broadcast()
	r.mu.Unlock()
	return nil
}
