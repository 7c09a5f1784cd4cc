package outcome

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"syscall"
	"time"
)

// Verdict is what the rest of the module needs to know about a finished attempt.
type Verdict struct {
	// Outcome is what the attempt says about the dependency.
	Outcome Outcome
	// Retry says that another attempt may well end differently. Whether it is
	// also harmless to send the request twice is another question, which only
	// the caller can answer: see [IdempotentMethod] and [NeverSent].
	Retry bool
	// After is how long the dependency asked to be left alone, if HasAfter.
	After    time.Duration
	HasAfter bool
}

// A verdicter is an error that knows its own verdict.
type verdicter interface {
	error
	Verdict() Verdict
}

// Classify returns the verdict on an attempt that ended with err.
//
// The first of these that applies decides:
//
//   - nil is a success.
//   - An error with a method Verdict() Verdict says it itself; so do the marks
//     [Retryable], [Permanent], [Answer], [Excluded] and [After]. Of several in
//     one chain the outermost counts, of several joined the first.
//   - [context.Canceled] is ignored: the caller went away.
//   - Timeouts, [context.DeadlineExceeded] among them, and lost or refused
//     connections are failures worth a retry.
//   - Everything else is a failure not worth one: certificates that do not
//     verify, names that do not exist, answers that cannot be decoded, and
//     every error not known here. Retries are for errors known to pass.
//
// Classify sees through wrapping and [errors.Join], and never looks at the text
// of an error. It cannot tell whose deadline was exceeded; who set the deadline can.
func Classify(err error) Verdict {
	if err == nil {
		return Verdict{Outcome: Success}
	}
	if v, ok := errors.AsType[verdicter](err); ok {
		return v.Verdict()
	}
	if errors.Is(err, context.Canceled) {
		return Verdict{Outcome: Ignored}
	}
	return Verdict{Outcome: Failure, Retry: passing(err)}
}

// passing reports whether any error of the tree is a timeout, or a connection
// that was not made or was lost.
func passing(err error) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		if t, ok := err.(interface{ Timeout() bool }); ok && t.Timeout() {
			return true // context.DeadlineExceeded and os.ErrDeadlineExceeded are such
		}
		switch e := err.(type) {
		case *net.DNSError:
			return e.IsTemporary // a name that does not exist stays away
		case *net.OpError:
			// There are others: a TLS alert is no lost connection, and a failed
			// dial to a proxy holds the one that tells why.
			switch e.Op {
			case "dial":
				return dialAgain(e.Err)
			case "read", "write":
				return true
			}
		case syscall.Errno:
			return e == syscall.ECONNREFUSED || e == syscall.ECONNRESET ||
				e == syscall.ECONNABORTED || e == syscall.EPIPE
		case interface{ Unwrap() []error }:
			return slices.ContainsFunc(e.Unwrap(), passing)
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return true // closed before the answer, or within it
		}
	}
	return false
}

// dialAgain reports whether a dial that failed with err may succeed later: not
// when the address is wrong in itself.
func dialAgain(err error) bool {
	switch e := err.(type) {
	case *net.DNSError:
		return e.IsTemporary
	case *net.AddrError, *net.ParseError, net.UnknownNetworkError, net.InvalidAddrError:
		return false
	}
	return true
}
