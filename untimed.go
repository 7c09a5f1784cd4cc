package stanch

import (
	"context"

	"github.com/stanch-go/stanch/outcome"
)

// runUntimed is run where nobody is told of a call and nothing is held for it.
// There is no more to its first attempt than fn, and the call begins when that
// has failed.
func runUntimed[T any](ctx context.Context, d *Dependency, fn func(context.Context) (T, error)) (T, outcome.Outcome, error) {
	var value T
	if ctx.Err() != nil || nested(ctx) {
		c := call{d: d, ctx: ctx}
		return value, outcome.Ignored, c.begin()
	}
	value, failure := fn(ctx)
	if failure == nil {
		return value, outcome.Success, nil
	}
	c := call{d: d, ctx: ctx, number: 1}
	defer c.close()
	c.start()
	if !c.judge(failure) {
		return value, c.verdict.Outcome, c.end(failure)
	}
	if err := c.again(failure); err != nil {
		var none T
		return none, c.verdict.Outcome, c.end(err)
	}
	return attempts(&c, fn)
}
