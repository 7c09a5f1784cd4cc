// Package bench compares Stanch with what a Go programmer would otherwise pick.
// It is a module of its own, so that nobody who uses Stanch gets the peers, and
// has no code but its tests:
//
//	make bench          six rounds of everything, and a verdict on each promise
//	make bench-smoke    every benchmark once, and the allocations
//
// What is compared stands in one benchmark and so runs within a second or two:
// machines drift, and only ratios within a round mean anything. The name of a
// benchmark is Path/case/who. Who is a peer, with "fastest" for its quickest
// public way and "usual" for the way its documentation shows; one that has only
// one way has neither.
package bench
