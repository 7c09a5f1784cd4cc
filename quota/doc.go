// Package quota shares one quota among many instances of a service.
//
// A quota is a token bucket for each key (a tenant, say): Rate per Window, at
// most Burst at once. A limiter in each of fifty instances is fifty quotas; here
// all instances draw on one bucket, which a [Store] keeps. There are three ways:
//
//   - [Embedded]: the bucket is in this process. For one instance, and for tests.
//   - [Central]: every decision is one round trip to the store. Exact; every
//     request waits for the store.
//   - [Leased]: an instance takes a slice of the quota, spends it without asking
//     and returns what is left. Most want this one where there are more than a
//     hundred decisions a second.
//
// [New] makes the one that a [Config] names. The package quota/redisquota has the
// store for Redis and Valkey; [Memory] is the store of tests and simulations.
//
// # How much is admitted
//
// In any stretch of time t, by all instances together and while the store is
// there:
//
//   - embedded, central: at most Burst + Rate·t/Window.
//   - leased: that, and what the instances held unspent when the stretch began,
//     at most MaxSlice each. From when the quota was first used, nothing more:
//     a slice is charged when it is taken.
//
// An instance that crashes costs the slice that it held: that much less is
// admitted, once. Nothing has to be reclaimed and nobody waits for it, since the
// bucket refills. One that is cut off from the store spends its slice until its
// Term is over, and then does as OnFailure says; so does everybody when the store
// is gone: nothing, everything, or a share of 1/Instances of the quota.
//
// # Slices
//
// An instance asks for what was demanded of it in the last Period, for as much
// time. The store grants that in full while the bucket holds at least a Period's
// worth of the quota, and else in proportion to what it holds. So slices follow
// demand and shrink as the quota runs out, all instances refuse the same part of
// what is asked of them, and the store need not know who they are. (Doorman's
// proportional share, youtube/doorman, has the same end and keeps a list of its
// clients; gubernator's GLOBAL and Envoy's rate limit quota service report usage
// after the fact.)
//
// # What all have in common
//
// A refused request changes nothing. A cost of 0 takes nothing and is admitted. A
// cost that is negative, not a number or above Burst is refused with RetryAfter
// [Never]. A Take that carries an ID is charged once, however often it arrives,
// for as long as Remember. All types are safe for concurrent use, and none starts
// a goroutine. Instants are monotonic nanoseconds, from 0 on; a late reading
// refills nothing, and time that goes back by more than a minute is believed.
package quota
