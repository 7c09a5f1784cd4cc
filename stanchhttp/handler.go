package stanchhttp

import (
	"net/http"
	"time"

	"github.com/stanch-go/stanch/deadline"
)

// Handler gives the requests to next the time that their caller has left, as the
// deadline of their context, and the number of the caller's attempt. Guarded
// calls made with that context end in time, and do not retry what is a retry
// already. A request that says nothing is passed on as it is.
//
// max is the most time that a caller may claim; deadline.DefaultMax if it is not
// positive. Malformed headers are ignored and reported to each of report, which
// must be safe for concurrent use.
//
// The http.ResponseWriter is passed on as it is, so that flushing, hijacking and
// streaming work as before. A handler that ignores its context is not
// interrupted.
func Handler(next http.Handler, max time.Duration, report ...func(error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		remaining, bounded, err := deadline.Read(r.Header, max)
		tell(report, err)
		n, counted, err := deadline.ReadAttempt(r.Header)
		tell(report, err)
		if !bounded && !counted {
			next.ServeHTTP(w, r)
			return
		}
		ctx := r.Context()
		if counted {
			ctx = deadline.WithAttempt(ctx, n)
		}
		if bounded {
			d := deadline.WithTimeout(ctx, remaining, nil)
			defer d.Cancel()
			ctx = d
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

func tell(report []func(error), err error) {
	if err == nil {
		return
	}
	for _, r := range report {
		r(err)
	}
}
