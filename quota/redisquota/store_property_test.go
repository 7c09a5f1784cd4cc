package redisquota_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stanch-go/stanch/quota"
	"github.com/stanch-go/stanch/quota/redisquota"
)

// TestTheScriptDoesWhatMemoryDoes sends the same takes to both. So little is
// refilled that the clock does not matter, and amounts are whole or far from it.
func TestTheScriptDoesWhatMemoryDoes(t *testing.T) {
	s := start(t).store(redisquota.Config{})
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		m := quota.NewMemory(0)
		sent := map[string]quota.Take{}
		limit := quota.Limit{Rate: 1, Window: 8784 * time.Hour, Burst: rapid.SampledFrom([]float64{1, 10, 100, 1e9}).Draw(rt, "burst")}
		amount := rapid.SampledFrom([]float64{0, 0, 1, 2.5, 7, limit.Burst / 4, limit.Burst, limit.Burst + 1})
		for range rapid.IntRange(1, 20).Draw(rt, "takes") {
			one := quota.Take{
				Key:   fmt.Sprint(round, rapid.SampledFrom([]string{"", "}", "a"}).Draw(rt, "key")),
				ID:    rapid.SampledFrom([]string{"", "1", "2", "3"}).Draw(rt, "id"),
				Limit: limit, Remember: time.Hour,
				Return: amount.Draw(rt, "return"), Need: amount.Draw(rt, "need"), Want: amount.Draw(rt, "want"),
				Period: rapid.SampledFrom([]time.Duration{0, time.Second, 100_000 * time.Hour}).Draw(rt, "period"),
			}
			if one.ID != "" { // and it is the same take each time
				if again, ok := sent[one.Key+"/"+one.ID]; ok {
					one = again
				}
				sent[one.Key+"/"+one.ID] = one
			}
			want := m.TakeAt(0, one)
			got := take(t, s, one)[0]
			if !alike(got.Granted, want.Granted) || !alike(got.Remaining, want.Remaining) ||
				!alike(got.RetryAfter.Hours(), want.RetryAfter.Hours()) || !alike(got.ResetAfter.Hours(), want.ResetAfter.Hours()) {
				rt.Fatalf("%+v:\nRedis  %+v\nmemory %+v", one, got, want)
			}
		}
	})
}

func alike(a, b float64) bool { return math.Abs(a-b) <= 1e-2+1e-9*math.Abs(b) }
