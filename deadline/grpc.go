package deadline

import (
	"math"
	"strconv"
	"time"
)

// grpcUnits are the units of a gRPC timeout, the finest first.
var grpcUnits = [...]struct {
	name byte
	unit time.Duration
}{
	{'n', time.Nanosecond}, {'u', time.Microsecond}, {'m', time.Millisecond},
	{'S', time.Second}, {'M', time.Minute}, {'H', time.Hour},
}

const (
	grpcDigits = 8
	grpcMost   = 99_999_999
)

// FormatGRPC returns d as the value of HeaderGRPCTimeout: at most eight digits
// in the finest unit in which they suffice, rounded down, as in the protocol's
// "Requests" grammar. 119 s is 119000m, not 1M. What is not positive, which the
// grammar excludes, is 1n.
func FormatGRPC(d time.Duration) string {
	d = max(1, d)
	u := 0
	for d/grpcUnits[u].unit > grpcMost {
		u++ // ends: the longest duration is a few million hours
	}
	var buf [grpcDigits + 1]byte
	return string(append(strconv.AppendInt(buf[:0], int64(d/grpcUnits[u].unit), 10), grpcUnits[u].name))
}

// ParseGRPC reads the value of HeaderGRPCTimeout: one to eight digits and a
// unit out of H, M, S, m, u and n. A time too long for a Duration is the
// longest one. 0 is accepted, because clients send it when their time has run
// out.
func ParseGRPC(s string) (time.Duration, error) {
	if n := len(s) - 1; 1 <= n && n <= grpcDigits {
		v, ok := digits(s[:n])
		for _, u := range grpcUnits {
			if !ok || u.name != s[n] {
				continue
			}
			if v > math.MaxInt64/int64(u.unit) {
				return math.MaxInt64, nil
			}
			return time.Duration(v) * u.unit, nil
		}
	}
	return 0, malformed(s, "1 to 8 digits and a unit (H M S m u n)")
}
