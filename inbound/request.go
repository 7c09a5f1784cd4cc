package inbound

import (
	"time"

	"github.com/stanch-go/stanch/shed"
)

// A Request is what is known of a request before any work is done for it.
type Request struct {
	Method string // as in "GET"; for limits and priorities of a route
	Path   string // as in "/search"; clean, without the query

	Tenant  string // who pays for it; "" if it does not say
	User    string // for whom it is; "" if it does not say. All of one share a fate under overload
	Address string // where it comes from

	// Priority is what the request says of itself, and HasPriority that it does. It
	// counts if Priorities.Trust is set.
	Priority    shed.Priority
	HasPriority bool

	// Cost is what it takes of limits and quotas. Default 1.
	Cost float64
	// Until is when its caller will have left. The zero time is never.
	Until time.Time
}
