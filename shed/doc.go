// Package shed refuses, early and cheaply, what a service cannot do anyway, so
// that it goes on doing as much as it can, the important part first.
//
// A [Shedder] stands before the expensive part of each request. It refuses
// what cannot finish in the time that is left; under overload it refuses the least
// important requests, as many as are too many; what remains waits for a place in
// a short queue:
//
//	permit, d := shedder.Wait(ctx, shed.Request{Priority: shed.PriorityOf(ctx), Level: shed.LevelOf(user, time.Now())})
//	if !d.OK {
//		return busy(d.Reason, d.RetryAfter)
//	}
//	// ... the work; then, in a defer:
//	shedder.Done(permit, result, took)
//
// # Who is refused
//
// Requests have a rank: their [Priority], and within it the [Level] of their user.
// All below a threshold are refused. So a user is served wholly or not at all,
// and the many calls that make up one answer share one fate; with a new draw
// for each of five calls, a load shed by half would let one answer in 32 be whole.
// That is DAGOR (Zhou and others, Overload Control for Scaling WeChat
// Microservices, SoCC 2018).
//
// # How many
//
// While there is a queue that does not empty, the requests that begin in an
// interval are what the service can take; the threshold is set so that about as
// many pass, by how many of each rank have come of late. When the queue empties,
// a little more is let in; when places are free, much more. The answer to a load
// that rises or falls is thus a matter of counting, and only the capacity has to
// be felt for.
//
// # The queue
//
// It is bounded in length and in time, serves the higher priority first, and
// is first in, first out. While it is overloaded the newest go first, since their
// callers are the most likely to be there still, and nobody waits for longer
// than Target: CoDel for servers (Maurer, Fail at Scale, ACM Queue 2015).
//
// Methods whose name ends in At, and Acquire, are given the time, in monotonic
// nanoseconds of one clock; the others read the machine's. A shedder starts no
// goroutine and holds no lock while anybody waits. Everything here is safe for
// concurrent use.
package shed
