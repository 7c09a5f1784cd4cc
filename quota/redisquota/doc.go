// Package redisquota keeps the buckets of package quota in Redis or Valkey, so
// that many instances share them.
//
// Each take is one Lua script, which Redis runs as one step and by its own clock;
// several go in one pipeline, so in one round trip. A key of Redis holds a bucket
// and lives until the bucket is full again, one more each request or slice that was
// charged, for as long as it is remembered. All keys of one bucket are in one slot,
// so a cluster works. Redis 5 or later, or any Valkey.
//
// A breaker is around it: when Redis is slow or gone, no request waits for it, and
// no more than a few pile up in its socket. Those refused have an error that wraps
// [ErrOpen].
//
// # When Redis loses something
//
//   - Its scripts (restart, SCRIPT FLUSH, a replica that became master): the
//     script is sent again. One more round trip.
//   - An answer: the client sends the request again, and its ID keeps it from being
//     charged again.
//   - Its data (restart without persistence, eviction, FLUSHALL): buckets are full
//     again, so at most a Burst more is admitted for each key.
//   - The last writes (a replica that became master, an append-only file synced
//     every second): what was granted in that time may be granted again, at most a
//     Burst for each key.
//   - Its time (a clock set back, or a replica whose clock is behind): nothing is
//     refilled for time that passes twice, and nobody waits for it to pass. A clock
//     that jumps ahead refills, at most up to Burst.
package redisquota
