package deadline

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// The headers that carry the budget, in the canonical form of net/http.
const (
	// HeaderTimeout has the time that the caller will still wait, in
	// milliseconds, as Envoy sends it.
	HeaderTimeout = "X-Envoy-Expected-Rq-Timeout-Ms"
	// HeaderGRPCTimeout has the same for gRPC, in the form of [FormatGRPC].
	HeaderGRPCTimeout = "Grpc-Timeout"
	// HeaderAttempt has the number of the attempt, 1 for the first, as Envoy
	// sends it.
	HeaderAttempt = "X-Envoy-Attempt-Count"
)

// MaxAttempts is the largest number of an attempt that ReadAttempt returns.
const MaxAttempts = 1000

// A Getter has headers to read, as http.Header does. Get returns "" for a
// header that is absent.
type Getter interface{ Get(key string) string }

// A Setter takes headers, as http.Header does.
type Setter interface{ Set(key, value string) }

// Read returns the time that the sender of a request will still wait: the
// smaller of HeaderTimeout and HeaderGRPCTimeout, and at most limit (DefaultMax
// if that is not positive; Config.Max is meant for it). ok is false if neither
// says anything. A malformed value is ignored and reported in err, with the
// header's name, even if the other header was good: err is for the log, not a
// reason to refuse the request.
//
// The time counts from when the request was received.
func Read(h Getter, limit time.Duration) (remaining time.Duration, ok bool, err error) {
	if limit <= 0 {
		limit = DefaultMax
	}
	remaining = limit
	var faults [2]error
	for i, f := range [...]struct {
		name  string
		parse func(string) (time.Duration, error)
	}{{HeaderTimeout, parseMillis}, {HeaderGRPCTimeout, ParseGRPC}} {
		value := h.Get(f.name)
		if value == "" {
			continue
		}
		d, err := f.parse(value)
		if err != nil {
			faults[i] = fmt.Errorf("%s: %w", f.name, err)
			continue
		}
		remaining, ok = min(remaining, d), true
	}
	if !ok {
		remaining = 0
	}
	return remaining, ok, errors.Join(faults[:]...)
}

// Write tells the receiver of a request, in HeaderTimeout, how long its sender
// will still wait. Milliseconds are rounded down, because there is no more time
// than that. The exception is less than one millisecond, for which 1 is sent:
// Envoy takes 0 as having no limit. Without an end (math.MaxInt64) nothing is
// written.
func Write(h Setter, remaining time.Duration) {
	if remaining == math.MaxInt64 {
		return
	}
	h.Set(HeaderTimeout, strconv.FormatInt(max(1, remaining.Milliseconds()), 10))
}

// ReadAttempt returns the number of the attempt from HeaderAttempt, 1 for the
// first. It is at most MaxAttempts, and 1, with ok false, if the header is absent or
// malformed, which err reports.
func ReadAttempt(h Getter) (n int, ok bool, err error) {
	value := h.Get(HeaderAttempt)
	if value == "" {
		return 1, false, nil
	}
	v, good := digits(value)
	if !good || v == 0 {
		return 1, false, fmt.Errorf("%s: %w", HeaderAttempt, malformed(value, "a positive whole number"))
	}
	return int(min(v, MaxAttempts)), true, nil
}

// WriteAttempt tells the receiver of a request which attempt it is, in
// HeaderAttempt, so that a proxy on the way need not retry a retry. The first
// is 1.
func WriteAttempt(h Setter, n int) {
	h.Set(HeaderAttempt, strconv.Itoa(max(1, n)))
}

// parseMillis reads a number of milliseconds. 0 is refused: to Envoy it means no
// limit, to others no time; neither is for a sender to say.
func parseMillis(s string) (time.Duration, error) {
	v, ok := digits(s)
	if !ok || v == 0 || v > math.MaxInt64/int64(time.Millisecond) {
		return 0, malformed(s, "a positive whole number of milliseconds")
	}
	return time.Duration(v) * time.Millisecond, nil
}

// digits reads a number of decimal digits and nothing else: no sign, no space,
// no overflow.
func digits(s string) (int64, bool) {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	v, err := strconv.ParseInt(s, 10, 64)
	return v, err == nil
}

// malformed describes a value that a peer sent. It is quoted and shortened,
// because the peer chose it and it goes to a log.
func malformed(value, want string) error {
	const most = 24
	if len(value) > most {
		return fmt.Errorf("%q... (%d bytes) is not %s", value[:most], len(value), want)
	}
	return fmt.Errorf("%q is not %s", value, want)
}
