// Package history remembers what the sidecar did in the last ten minutes, second
// by second, for the page.
//
// It is given the time: whoever has the sidecar's state adds it once a second.
// A dependency costs 600 samples of 128 bytes, 77 kB, from when it is first seen
// until it is no longer in the policy, however many calls there are.
package history
