package ratelimit_test

import "github.com/stanch-go/stanch/ratelimit"

var algorithms = []ratelimit.Algorithm{
	ratelimit.TokenBucket, ratelimit.LeakyMeter, ratelimit.LeakyShaper, ratelimit.SlidingLog, ratelimit.SlidingCounter,
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
