package real

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
)

// server is an HTTP server on the loopback interface that waits for what it
// started.
type server struct {
	http     http.Server
	listener net.Listener
	owned    sync.WaitGroup // Serve, and every connection
}

// listen takes a port. Requests wait until serve is called; their contexts end
// with run.
func listen(run context.Context, h http.Handler) (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{listener: l}
	s.http.Handler = h
	s.http.BaseContext = func(net.Listener) context.Context { return run }
	s.http.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			s.owned.Add(1) // by Serve, which is counted itself
		case http.StateClosed:
			s.owned.Done()
		}
	}
	return s, nil
}

// serve takes requests until close, or until fail is told why it cannot.
func (s *server) serve(fail func(error)) {
	s.owned.Go(func() {
		if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			fail(err)
		}
	})
}

func (s *server) url() string { return "http://" + s.listener.Addr().String() }

// close ends all connections. Handlers must have been told to return.
func (s *server) close() {
	s.http.Close()
	s.listener.Close() // a server that never served does not know it
	s.owned.Wait()
}
