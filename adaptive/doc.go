// Package adaptive finds out how much a dependency, or a service itself, can
// take, and keeps to it.
//
// A [Limiter] is a limit of calls in flight that moves by what the calls show.
// It grows while it is in use and nothing is lost, falls when calls begin to
// wait in a queue further down, and falls fast when they fail:
//
//	permit, ok := limiter.Acquire()
//	if !ok {
//		return errBusy
//	}
//	// ... the call; then, in a defer:
//	limiter.Done(permit, result, took)
//
// A [Throttle] is for clients of a service that refuses by itself: it drops as
// many calls at once as would mostly be refused anyway.
//
// # Estimators
//
// What a window of calls without losses means for the limit is up to an
// algorithm, see [Algorithm]: the gradient, Vegas or AIMD. What they have in
// common is decided before they are asked: losses, the latency without a queue,
// and that a limit nobody makes use of does not grow.
//
// The latency without a queue is not the least that was ever seen, which is luck,
// nor a long average, which follows every outage. It is what calls take when
// fewer of them do not take less. So whenever the limit has fallen by two fifths,
// the limiter looks whether that helped. If it did, there was a queue. If not,
// the dependency has become slower, and fewer calls would be of no use to
// anybody. When the limit has been in use for long without falling, it is
// lowered by as much, for two windows, to have that look.
//
// Methods whose name ends in At are given the time, in monotonic nanoseconds of
// one clock; the others read the machine's. Nothing here waits, starts a
// goroutine or calls back, and everything is safe for concurrent use.
package adaptive
