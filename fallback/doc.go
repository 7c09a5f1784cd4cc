// Package fallback answers when the live call cannot: with the next best
// answers, in order, each with a name.
//
// A degraded answer is an answer, not an error, so it says what it is: its
// [Answer] carries the source, the age of the value and the reason why the live
// one is missing. The rate of degraded answers is a more sensitive sign of
// health than the rate of errors: it moves while errors are still at zero.
//
// The rule for every alternative is that it reads what is already here. One
// that calls another dependency is slow when that is slow, and then the
// degraded path is worse than the path it replaces. So an alternative is
//   - bounded in time and in number at once ([Limits]),
//   - refused when it is built, if its source is guarded ([From]),
//   - marked while it runs ([Enter], [Inside]), so that a guarded call made
//     from inside can be refused too.
//
// What to read from memory comes from a [Store], the last good value of every
// key, or from a [Value], one value refreshed in the background.
//
// An answer that would be a lie is not a fallback: a balance of zero for a
// balance that is unknown, or "done" for a write that did not happen.
package fallback
