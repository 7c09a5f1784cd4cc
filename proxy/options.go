package proxy

import (
	"cmp"
	"log/slog"
	"math/rand/v2"
	"net"
	"time"
)

// Options say what is not in the policy. The zero value is a good choice.
type Options struct {
	// Egress and Ingress are listeners to serve instead of those of the policy.
	Egress, Ingress net.Listener
	// Log is told what an operator should know. Default slog.Default().
	Log *slog.Logger
	// MaxConns is the most connections of clients to one listener. Further ones
	// wait to be accepted. Default 8192.
	MaxConns int
	// HeaderTimeout is how long a client may take to send the header of a
	// request. Default 10s.
	HeaderTimeout time.Duration
	// ClientIdle is the longest pause that a client may make while it sends the
	// body of a request, or takes the answer. Default 30s.
	ClientIdle time.Duration
	// KeepAlive is how long an unused connection of a client is kept. Default 2m,
	// which is longer than the clients of most languages keep theirs.
	KeepAlive time.Duration
	// DrainTime bounds the time from the end of Serve's context to its return.
	// Default 30s.
	DrainTime time.Duration
	// Settle is how long connections are kept at the beginning of a drain, so
	// that a request that was already on its way is served, and its answer can
	// tell the client to come no more. Default 500ms, at most half of DrainTime.
	Settle time.Duration
	// Rand returns the randomness of faults, in [0, 1). Default the global source
	// of math/rand/v2.
	Rand func() float64
}

// maxHeader bounds the header of requests and answers.
const maxHeader = 64 << 10

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	o.MaxConns = cmp.Or(max(o.MaxConns, 0), 8192)
	o.HeaderTimeout = cmp.Or(max(o.HeaderTimeout, 0), 10*time.Second)
	o.ClientIdle = cmp.Or(max(o.ClientIdle, 0), 30*time.Second)
	o.KeepAlive = cmp.Or(max(o.KeepAlive, 0), 2*time.Minute)
	o.DrainTime = cmp.Or(max(o.DrainTime, 0), 30*time.Second)
	o.Settle = min(cmp.Or(max(o.Settle, 0), 500*time.Millisecond), o.DrainTime/2)
	return o
}
