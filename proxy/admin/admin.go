package admin

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/stanch-go/stanch/proxy"
	"github.com/stanch-go/stanch/proxy/admin/history"
)

// Admin serves a proxy's admin listener. Its methods are safe for concurrent use.
type Admin struct {
	proxy   *proxy.Proxy
	log     *slog.Logger
	history *history.History
	seen    uint64 // the last event that is in the history
	streams chan struct{}
	handler http.Handler
}

// New returns the admin side of a proxy. Commands are told to log.
func New(px *proxy.Proxy, log *slog.Logger) *Admin {
	a := &Admin{proxy: px, log: log, history: history.New(), streams: make(chan struct{}, maxStreams)}
	a.handler = guard(a.routes())
	a.sample()
	return a
}

func (a *Admin) routes() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /{$}", a.page)
	m.HandleFunc("GET /healthz", a.healthy)
	m.HandleFunc("GET /readyz", a.ready)
	m.Handle("GET /metrics", metrics(a.proxy))
	m.HandleFunc("GET /status", a.status)
	m.HandleFunc("GET /policy", a.policy)
	m.HandleFunc("GET /events", a.events)
	m.HandleFunc("POST /breaker/{dependency}", a.force)
	m.HandleFunc("POST /faults/{dependency}", a.setFault)
	m.HandleFunc("DELETE /faults/{dependency}", a.endFault)
	return m
}

// ServeHTTP implements http.Handler.
func (a *Admin) ServeHTTP(w http.ResponseWriter, req *http.Request) { a.handler.ServeHTTP(w, req) }

// Serve serves the listener, and remembers what the proxy does, until ctx ends. It
// should end after the proxy has, so that a drain can be watched.
func (a *Admin) Serve(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &http.Server{
		Handler:           a,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx }, // ends streams
		ErrorLog:          slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	go a.remember(ctx)
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	bounded, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer stop()
	err := s.Shutdown(bounded)
	if err != nil {
		err = s.Close()
	}
	if e := <-served; !errors.Is(e, http.ErrServerClosed) {
		err = e
	}
	return err
}

// remember takes a sample every second until ctx ends.
func (a *Admin) remember(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			a.sample()
		}
	}
}

// sample is called by New, and then by remember only.
func (a *Admin) sample() {
	status := a.proxy.Status() // first: it lets breakers meet their time
	events := a.proxy.Events().Since(a.seen)
	if n := len(events); n > 0 {
		a.seen = events[n-1].Number
	}
	a.history.Add(status, events)
}
