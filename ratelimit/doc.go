// Package ratelimit bounds how much may begin in a stretch of time: calls, bytes
// or whatever a cost stands for.
//
// There are five limiters with one shape, a [Limiter]: AllowAt(now, cost) gives a
// [Decision]. They differ in what they do with a burst:
//
//   - [Bucket], the token bucket, lets saved up tokens be spent at once. It can
//     also promise tokens that are still to come: ReserveAt and WaitAt.
//   - [Meter], the leaky bucket as a meter (GCRA), refuses what comes too early.
//   - [Shaper], the leaky bucket as a queue, lets calls leave one at a time at
//     the rate, and the others wait.
//   - [Log], the sliding log, is exact: never more than the limit in any window.
//   - [Counter], the sliding counter, is the log's estimate from two numbers.
//
// Most callers want the token bucket. [Keyed] has a limit of its own for each of
// a great many keys, such as tenants or addresses, in bounded memory.
//
// # What all have in common
//
// A refused request changes nothing. A cost of 0 is always admitted, takes
// nothing and so asks for the state. A cost that is negative, not a number or
// above what the limiter can ever admit is refused with RetryAfter [Never]. Costs
// may be fractions; they are rounded up to the limiter's unit, see [Config].
//
// Limits may be changed while they are in use (SetAt): what was used before stays
// used, in a bucket and a meter at most the new burst.
//
// Methods whose name ends in At are given the time, in monotonic nanoseconds of
// one clock; the others read the machine's. Instants before 0 count as 0. A late
// reading of the clock, before an instant at which something was admitted, refills
// nothing and delays nobody else. If time goes back by more than a minute, which a monotonic clock does
// not, it is believed: the limiter goes on from there, as if exhausted.
//
// All limiters are safe for concurrent use, and none starts a goroutine.
package ratelimit
