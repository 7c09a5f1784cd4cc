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
		left, bounded, attempt := said(r, max, func(err error) { tell(report, err) })
		if !bounded && attempt == 0 {
			next.ServeHTTP(w, r)
			return
		}
		ctx := r.Context()
		if attempt > 0 {
			ctx = deadline.WithAttempt(ctx, attempt)
		}
		if bounded {
			d := deadline.WithTimeout(ctx, left, nil)
			defer d.Cancel()
			ctx = d
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

func tell(report []func(error), err error) {
	for _, r := range report {
		r(err)
	}
}
