package demo

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

// A server serves on a free port of the loopback interface until it is closed.
type server struct {
	url    string
	http   http.Server
	served sync.WaitGroup
}

func serve(h http.Handler) (*server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{url: "http://" + listener.Addr().String()}
	s.http.Handler = h
	s.http.ReadHeaderTimeout = 5 * time.Second
	s.served.Go(func() { _ = s.http.Serve(listener) }) // always ErrServerClosed: close reports what went wrong
	return s, nil
}

// close waits until the last request has been answered, and takes the
// connections away from those that are not answered in good time.
func (s *server) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	s.served.Wait()
	return err
}
