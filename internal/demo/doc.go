// Package demo plays one incident for real, in one process on loopback: two
// services that differ in a single call, each with its own dependency, which
// stalls for a while, under the same steady load.
//
// Nothing is simulated: servers, clients and timers are those of production, and
// every figure of a [Report] was measured. Package screen shows them.
package demo
