// Package stanch guards the calls of a program to the things it depends on, so
// that one of them which turns slow does not take the rest down.
//
// A [Dependency] is built once for each of them, from a [Config] or a preset such
// as [OptionalRead], and shared by all callers. [Do] makes one guarded call, and
// is what most callers want. [Ask] makes one that has next best answers, for
// pages that are better a little stale than not there. For HTTP see package
// stanchhttp, which puts a Dependency into an ordinary http.Client.
//
// A call that is not made returns a [*Refusal], which says why and when another
// try may be worth it. [Observer] is told of every step.
//
// Each guard is a package of its own (deadline, retry, breaker, ratelimit,
// bulkhead, fallback) for those who want only that one. Here they are joined in
// the one order in which they protect; [Do] says which. What comes in is for
// package inbound.
package stanch
