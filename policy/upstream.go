package policy

import (
	"cmp"
	"time"

	"github.com/stanch-go/stanch/internal/strict"
)

// HTTP says how the sidecar speaks to a dependency. The library, which is given
// a client, does not use it.
type HTTP struct {
	// H2C speaks HTTP/2 without TLS to http URLs. Default false: only for gRPC,
	// which needs it; all else is HTTP/1.1. With https both sides agree on one.
	H2C bool `yaml:"h2c"`
	// Replay is how much of the body of a request is kept so that it can be sent
	// again. Default 64KiB. Range: 0B to 16MiB.
	Replay strict.Size `yaml:"replay"`
	// MaxBody is the most that the body of a request may have. Default 1GiB.
	// Range: 0B or more.
	MaxBody strict.Size `yaml:"max_body"`
	// Idle is the longest pause within the body of an answer, which no other time
	// limit covers. Default Timeout.Attempt or 1s, whichever is longer, and 30s
	// without Timeout.Attempt. Range: 0s or more.
	Idle time.Duration `yaml:"idle"`
	// StreamIdle is that of event streams, gRPC, tunnels and connections that
	// have changed their protocol. Default 5m. Range: 0s or more.
	StreamIdle time.Duration `yaml:"stream_idle"`
}

const maxReplay = 16 << 20

// Effective returns h with the defaults filled in, for attempts of that length.
func (h HTTP) Effective(attempt time.Duration) HTTP {
	pause := 30 * time.Second
	if attempt > 0 {
		pause = max(attempt, time.Second)
	}
	h.Replay = cmp.Or(h.Replay, 64<<10)
	h.MaxBody = cmp.Or(h.MaxBody, 1<<30)
	h.Idle = cmp.Or(h.Idle, pause)
	h.StreamIdle = cmp.Or(h.StreamIdle, 5*time.Minute)
	return h
}

// Validate returns every fault of the settings.
func (h HTTP) Validate() error {
	var p problems
	p.check(h.Replay >= 0 && h.Replay <= maxReplay, "replay", "must be between 0B and %v, is %v", strict.Size(maxReplay), h.Replay)
	p.check(h.MaxBody >= 0, "max_body", "must not be negative, is %v", h.MaxBody)
	notNegative(&p, "idle", h.Idle)
	notNegative(&p, "stream_idle", h.StreamIdle)
	return p.err()
}
