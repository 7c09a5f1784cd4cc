package stanchhttp

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/stanch-go/stanch/outcome"
)

// failed is how an attempt tells the guard that it failed.
type failed struct {
	error                   // what the base returned, or a *StatusError
	verdict outcome.Verdict // what the guard is to make of it
	repeats bool            // the request may be sent again
	ended   error           // how the attempt's context had ended, if it had
}

func (f *failed) Unwrap() error            { return f.error }
func (f *failed) Verdict() outcome.Verdict { return f.verdict }

// Is finds the end of the context behind the cause that somebody gave it.
func (f *failed) Is(target error) bool { return f.ended != nil && target == f.ended }

func (x *exchange) noAnswer(err, ended error) *failed {
	f := &failed{error: err, verdict: outcome.Classify(err)}
	if ended != nil && !excluded(err) {
		f.verdict, f.ended = outcome.Classify(ended), ended
	}
	f.repeats = (x.idempotent || outcome.NeverSent(err)) && x.rewinds()
	f.verdict.Retry = f.verdict.Retry && f.repeats
	return f
}

// excluded reports whether the base knows that the error says nothing about the
// server, as when the body of the request could not be read. The time may have
// been up because of that.
func excluded(err error) bool {
	marked, ok := errors.AsType[interface {
		error
		Verdict() outcome.Verdict
	}](err)
	return ok && marked.Verdict().Outcome == outcome.Ignored
}

func (x *exchange) badAnswer(resp *http.Response, v outcome.Verdict) *failed {
	v.Retry = v.Retry && x.mayFollow()
	return &failed{error: &StatusError{resp.StatusCode, v}, verdict: v, repeats: x.idempotent && x.rewinds()}
}

// A StatusError is an answer with the status of an error.
type StatusError struct {
	StatusCode int // such as 503
	verdict    outcome.Verdict
}

func (e *StatusError) Error() string {
	s := "stanchhttp: the server answered " + strconv.Itoa(e.StatusCode)
	if text := http.StatusText(e.StatusCode); text != "" {
		s += " " + text
	}
	return s
}

// Verdict says what the answer means to the guard, see outcome.Status, with the
// wait that Retry-After asked for. It allows a retry only if the request may be
// sent twice.
func (e *StatusError) Verdict() outcome.Verdict { return e.verdict }

// Check returns a *StatusError for a status of 400 or above, else nil. It is for
// functions that are guarded as a whole, by stanch.Do or stanch.Ask, and call an
// unguarded client. Whether the request may be repeated is judged by its method
// and an Idempotency-Key header. The caller still closes the body.
func Check(resp *http.Response) error {
	if resp.StatusCode >= 100 && resp.StatusCode < 400 {
		return nil
	}
	v := verdict(resp)
	if v.Retry && resp.Request != nil {
		v.Retry, _ = Options{}.mayRepeat(resp.Request)
	}
	return &StatusError{resp.StatusCode, v}
}

// verdict judges an answer by its status and Retry-After.
func verdict(resp *http.Response) outcome.Verdict {
	v := outcome.Status(resp.StatusCode)
	if v.Outcome == outcome.Success {
		return v
	}
	if after := resp.Header.Get("Retry-After"); after != "" {
		// A date is by the server's clock, which its Date tells.
		now, err := http.ParseTime(resp.Header.Get("Date"))
		if err != nil {
			now = time.Now()
		}
		v.After, v.HasAfter = outcome.RetryAfter(after, now)
	}
	return v
}
