package ratelimit_test

import (
	"math/big"
	"strconv"
	"testing"
	"time"

	"github.com/stanch-go/stanch/ratelimit"
)

// FuzzLimiters plays any requests with any limits and compares each decision with
// the textbook in exact fractions. Four bytes are a request.
func FuzzLimiters(f *testing.F) {
	f.Add(uint8(0), 100.0, 0.0, int64(time.Second), []byte("aaaabbbbccccddddeeee"))
	f.Add(uint8(1), 33.3, 5.0, int64(time.Minute), []byte("\x00\x00\x00\x01\x00\x00\x00\x01\xff\xff\x00\x02"))
	f.Add(uint8(2), 0.1, 0.0, int64(time.Hour), []byte("0000111122223333"))
	f.Add(uint8(3), 7.0, 0.0, int64(time.Millisecond), []byte("\x01\x02\x03\x04\x05\x06\x07\x08\x09"))
	f.Add(uint8(4), 1e12, 0.0, int64(time.Second), []byte("zzzzyyyyxxxx\x00\x00\x00\xff"))
	f.Add(uint8(0), 1e-9, 1e12, int64(8784*time.Hour), []byte("zzzzyyyyxxxx\x00\x00\x00\xff"))
	f.Fuzz(func(t *testing.T, algorithm uint8, rate, burst float64, window int64, requests []byte) {
		c := ratelimit.Config{
			Algorithm: algorithms[int(algorithm)%len(algorithms)], Rate: rate, Burst: burst, Window: time.Duration(window),
		}
		if !isLimit(rate) || c.Validate() != nil {
			return
		}
		c = c.Effective()
		l, o := must(ratelimit.New(c)), newOracle(c)
		most := decimal(c.Rate)
		slack := big.NewRat(1, 1e6)
		switch c.Algorithm {
		case ratelimit.TokenBucket, ratelimit.LeakyMeter:
			most = decimal(c.Burst)
			slack = limits{decimal(c.Rate), most, window}.unit()
		case ratelimit.LeakyShaper:
			most = decimal(max(c.Rate, 1))
			slack = limits{decimal(c.Rate), most, window}.unit()
		}
		now := int64(0)
		admitted := int64(0)
		joined := false
		for ; len(requests) >= 4 && admitted < 200; requests = requests[4:] {
			now += step4(requests, c)
			cost := float64(requests[2]>>4) * [...]float64{1, 0.1, 0.25, c.Rate / 7}[requests[3]&3]
			room := o.room(now)
			d := l.AllowAt(now, cost)
			slack := new(big.Rat).Mul(slack, big.NewRat(2+admitted, 1)) // each may have been rounded up
			sp, spaced := o.(*spacing)
			onTheEdge := spaced && new(big.Rat).Abs(sp.late(now)).Cmp(slack) <= 0
			// A log has an entry for each whole number in its rate. Where costs
			// below 1 need more, some leave later than they might.
			strict := joined && !d.OK && d.RetryAfter > 0
			if !onTheEdge && !strict && !agrees(d, cost, room, most, slack) {
				t.Fatalf("%+v: %v at %d with room for %v got %+v", c, cost, now, room.FloatString(12), d)
			}
			if d.OK && cost > 0 {
				o.take(now, cost)
				admitted++
				if log, ok := o.(*list); ok && log.live(now) > int(c.Rate)+1 {
					joined = true
				}
			}
		}
	})
}

// step4 is a time that matters to the limiter: nothing, a nanosecond, what one
// takes, a window, or in between.
func step4(b []byte, c ratelimit.Config) int64 {
	x := int64(b[0])<<8 | int64(b[1])
	part := func(of int64) int64 { return int64(float64(of) * float64(x) / (1 << 16)) }
	one := int64(min(float64(c.Window)/c.Rate, 1e15))
	return [...]int64{0, x & 3, one, part(one) + 1, int64(c.Window), part(int64(c.Window)), int64(c.Window) - 1, 3 * one}[b[3]>>2&7]
}

// FuzzKeyed plays requests of many keys on a limiter that may have too few
// places, and compares with a textbook bucket for each key: a key with a place
// gets exactly its limit, and none ever gets more.
func FuzzKeyed(f *testing.F) {
	f.Add(10.0, 3.0, uint8(0), []byte("aaaabbbbccccdddd"))
	f.Add(1.5, 1.0, uint8(1), []byte("\x00\x00\x10\x01\x00\x00\x11\x01\xff\xff\x12\x02"))
	f.Fuzz(func(t *testing.T, rate, burst float64, keys uint8, requests []byte) {
		c := ratelimit.KeyedConfig{Rate: rate, Burst: burst, Keys: 1 + int(keys)}
		if !isLimit(rate) || c.Validate() != nil {
			return
		}
		c = c.Effective()
		l := must(ratelimit.NewKeyed(c))
		one := ratelimit.Config{Rate: c.Rate, Burst: c.Burst}.Effective()
		slack := limits{decimal(c.Rate), decimal(c.Burst), second}.unit()
		oracles := map[string]oracle{}
		now, admitted := int64(0), int64(0)
		for ; len(requests) >= 4 && admitted < 200; requests = requests[4:] {
			now += step4(requests, one)
			key := strconv.Itoa(int(requests[2]) | int(requests[3]>>5)<<8)
			cost := float64(1 + requests[3]&1)
			o := oracles[key]
			if o == nil {
				o = newOracle(one)
				oracles[key] = o
			}
			room := o.room(now)
			before := l.Overflowed()
			d := l.AllowAt(now, key, cost)
			s := new(big.Rat).Mul(slack, big.NewRat(2+admitted, 1))
			switch {
			case d.OK && decimal(cost).Cmp(new(big.Rat).Add(room, s)) > 0:
				t.Fatalf("%+v: key %s got %v with room for %v", c, key, cost, room.FloatString(12))
			case before == 0 && l.Overflowed() == 0 && !agrees(d, cost, room, decimal(c.Burst), s):
				t.Fatalf("%+v: key %s, %v with room for %v got %+v", c, key, cost, room.FloatString(12), d)
			}
			if d.OK {
				o.take(now, cost)
				admitted++
			}
		}
	})
}
