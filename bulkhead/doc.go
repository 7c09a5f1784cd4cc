// Package bulkhead bounds how many calls to a dependency run at once, so that
// a slow one cannot take every worker, connection and byte of memory with it.
//
// A [Bulkhead] stands alone ([New]) or is one share of a [Pool] ([Pool.Share]).
// Both are used in the same way: acquire a permit, make the call, release the
// permit. When no permit is free the call is refused at once, or waits in a
// queue that is bounded in length and in time:
//
//	if _, err := b.Wait(ctx); err != nil {
//		return err // ErrFull, ErrQueueTimeout or ctx.Err()
//	}
//	defer b.Release()
//
// Methods whose name ends in At, and Acquire, are given the time, in monotonic
// nanoseconds of one clock; the others read the machine's. A bulkhead starts no
// goroutine and holds no lock while anybody waits.
//
// # What it does not do
//
// It bounds calls, not their duration: without a timeout a hung dependency
// keeps its permits for ever. It protects only what it stands in front of: two
// bulkheads over one exhausted connection pool isolate nothing.
package bulkhead
