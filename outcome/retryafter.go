package outcome

import (
	"math"
	"strings"
	"time"
)

// The three forms of an HTTP date, RFC 9110 section 5.6.7. The zone is part of
// the form: any other is not a date.
var dates = [...]string{
	"Mon, 02 Jan 2006 15:04:05 GMT",
	"Monday, 02-Jan-06 15:04:05 GMT",
	time.ANSIC,
}

// RetryAfter reads the value of a Retry-After header (RFC 9110 section 10.2.3),
// a number of seconds or a date, and returns how long after now that is.
//
// It is never negative: a date in the past is 0, and more seconds than a
// Duration can hold are the longest Duration. Anything else, such as "", "-1",
// "1.5" or "1e3", is not ok: a header that is malformed says nothing.
func RetryAfter(h string, now time.Time) (d time.Duration, ok bool) {
	h = strings.Trim(h, " \t")
	if d, ok := seconds(h); ok {
		return d, true
	}
	for _, layout := range dates {
		if t, err := time.Parse(layout, h); err == nil {
			return max(t.Sub(now), 0), true // Sub saturates
		}
	}
	return 0, false
}

func seconds(h string) (time.Duration, bool) {
	const most = math.MaxInt64 / int64(time.Second)
	var n int64
	for _, c := range []byte(h) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(n*10+int64(c-'0'), most+1) // any number of digits fits
	}
	if n > most {
		return math.MaxInt64, h != ""
	}
	return time.Duration(n) * time.Second, h != ""
}
