package proxy

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A bounded listener has at most so many connections open. Further ones wait
// with the system, which bounds them too.
type bounded struct {
	net.Listener
	most   int
	places chan struct{}
	closed chan struct{}
	once   sync.Once

	stopping atomic.Bool
	conns    atomic.Int64 // open; a place more is taken by who waits for the next
}

func newBounded(l net.Listener, most int) *bounded {
	return &bounded{Listener: l, most: most, places: make(chan struct{}, most), closed: make(chan struct{})}
}

// Accept waits for a place, and then for a connection.
func (b *bounded) Accept() (net.Conn, error) {
	select {
	case b.places <- struct{}{}:
	case <-b.closed:
		return nil, net.ErrClosed
	}
	conn, err := b.Listener.Accept()
	if err != nil && b.stopping.Load() {
		conn, err = b.last()
	}
	if err != nil {
		<-b.places
		if b.stopping.Load() {
			b.Close() // at once: to be connected and not served is to be lost
			err = net.ErrClosed
		}
		return nil, err
	}
	b.conns.Add(1)
	return &boundedConn{Conn: conn, listener: b}, nil
}

// backlog is how long a listener that is about to close looks for connections
// that the system has already accepted.
const backlog = 20 * time.Millisecond

// stop lets the server accept what is waiting and nothing after that. Clients
// that were told they are connected are served.
func (b *bounded) stop() {
	b.stopping.Store(true)
	if l, ok := b.Listener.(interface{ SetDeadline(time.Time) error }); ok {
		l.SetDeadline(time.Now().Add(backlog))
	} else {
		b.Close()
	}
}

// glance is just long enough for a look at what is waiting.
const glance = 100 * time.Microsecond

// last looks once more when the time is over: where many connect, some have come
// while nobody looked, and a deadline that has passed hides them.
func (b *bounded) last() (net.Conn, error) {
	if l, ok := b.Listener.(interface{ SetDeadline(time.Time) error }); ok {
		l.SetDeadline(time.Now().Add(glance))
	}
	return b.Listener.Accept()
}

// Close ends accepting.
func (b *bounded) Close() error {
	b.once.Do(func() { close(b.closed) })
	return b.Listener.Close()
}

func (b *bounded) open() int { return int(b.conns.Load()) }

// boundedConn gives its place back when it is closed.
type boundedConn struct {
	net.Conn
	listener *bounded
	once     sync.Once
}

func (c *boundedConn) Close() error {
	c.once.Do(func() {
		c.listener.conns.Add(-1)
		<-c.listener.places
	})
	return c.Conn.Close()
}

// CloseWrite closes the half that is written.
func (c *boundedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}
