package lint

// Rules returns all rules, in the order of their codes.
//
// What is not among them, and why:
//   - the sum of a pool's guarantees above its size, a limit beside a pool, a
//     connect timeout at or above the attempt's, a queue without a longest wait:
//     the policy does not load, so there is nothing left to check;
//   - one breaker for several dependencies: a file cannot say it, each has its own;
//   - a fallback through another dependency: a file cannot say it either, and the
//     library refuses it when the alternative is made;
//   - a write of a core class that is retried with an idempotency key: that is
//     what the key is for; without one it is ST201;
//   - the sum of the ceilings of several dependencies against the deadline: the
//     file does not say which are called one after the other.
func Rules() []*Rule {
	return []*Rule{
		unboundedTime, sumOfAttempts, thirdOfPatience, slowConnect, belowP99, farAboveP99, noTimeForRetry,
		retriedWrite, retriedSidePath, noBudget, budgetFloor, noJitter, retryAfter,
		tooFewCalls, neverOpens, shortWindow, slowNeverCounted, tooManyProbes, shortCooldown, shortLease, noBreaker,
		longQueueWait, faultThroughput, mixedPool, unboundedPlaces, wideBulkhead, rateAboveBulkhead, rateBelowDeclared,
		noFallback, oldSnapshot, answeredWrite, slowFallback,
		layerOrder, retriesMultiply, openIngress,
		limitsAboveCapacity, limitPerInstance, quotaOfOne, otherInstances, prioritiesWithoutShedding, limitAbovePlaces, lateDeadline, begunInVain, queueOutlivesDeadline,
		nobodyToTellApart, strangersBelieved, openWithoutLimit, slowStore, fewKeys, savedSlices, highFloor, moreThanWorkers, burstForRoundTrips, muchMemoryForKeys,
		idleRetry, idleBudget, idleBreaker, idleBulkhead, idlePool, unreachedAttempts, idleIdempotency, needless, idleLimit,
	}
}
