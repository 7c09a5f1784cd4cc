package fallback

import (
	"math"
	"math/big"
	"testing"
	"time"
)

// FuzzValueWait holds the waits against the same in big numbers: no wait beyond
// Every, none negative, none shorter than the jitter allows.
func FuzzValueWait(f *testing.F) {
	f.Add(int64(time.Second), int64(time.Minute), uint16(3), 0.5)
	f.Add(int64(math.MaxInt64), int64(math.MaxInt64), uint16(65535), 0.0)
	f.Add(int64(time.Minute), int64(time.Second), uint16(1), 0.1)
	f.Add(int64(1), int64(math.MaxInt64), uint16(64), 0.999)
	f.Fuzz(func(t *testing.T, retry, every int64, failures uint16, random float64) {
		if random < 0 || random >= 1 || math.IsNaN(random) || retry <= 0 || every <= 0 {
			return
		}
		c := ValueConfig{
			Every: time.Duration(every),
			Retry: time.Duration(retry),
			Rand:  func() float64 { return random },
		}.withDefaults()
		longest, low := big.NewInt(every), 0.9
		if failures > 0 {
			grown := new(big.Int).Lsh(big.NewInt(min(retry, every)), uint(failures)-1)
			if grown.Cmp(longest) < 0 {
				longest = grown
			}
			low = 0.5
		}
		got, most := float64(c.wait(int(failures))), float64(longest.Int64())
		if got > most || got < most*low-1 {
			t.Errorf("wait(%d) = %v, want within [%v, %v]", failures, got, most*low, most)
		}
	})
}
