package random_test

import (
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/stanch-go/stanch/internal/random"
)

// The published sequences of the reference implementation.
func TestSequence(t *testing.T) {
	for seed, want := range map[uint64][]uint64{
		0:       {0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f},
		1234567: {6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431},
	} {
		source := random.NewSource(seed)
		for i, w := range want {
			if got := source.Uint64(); got != w {
				t.Errorf("seed %d, number %d: got %#x, want %#x", seed, i, got, w)
			}
		}
	}
}

// Concurrent users get exactly the numbers one user would have got, each once.
func TestConcurrentUse(t *testing.T) {
	const workers, each = 8, 1000
	want := make([]uint64, 0, workers*each)
	alone := random.New(42)
	for range workers * each {
		want = append(want, alone.Uint64())
	}

	var mu sync.Mutex
	var got []uint64
	shared := random.New(42)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			mine := make([]uint64, 0, each)
			for range each {
				mine = append(mine, shared.Uint64())
			}
			mu.Lock()
			defer mu.Unlock()
			got = append(got, mine...)
		})
	}
	wg.Wait()

	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Error("concurrent users did not share one sequence exactly")
	}
}

func TestUniform(t *testing.T) {
	const buckets, draws = 16, 160_000
	var count [buckets]int
	r := random.New(7)
	for range draws {
		count[int(r.Float64()*buckets)]++
	}
	// Five standard deviations of a bucket's binomial count.
	const mean = float64(draws) / buckets
	for i, n := range count {
		if math.Abs(float64(n)-mean) > 5*math.Sqrt(mean) {
			t.Errorf("bucket %d holds %d of %d draws, want about %.0f", i, n, draws, mean)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	r := random.New(1)
	if n := testing.AllocsPerRun(100, func() { r.Int64N(1000) }); n != 0 {
		t.Errorf("a draw allocates %v times", n)
	}
}

func BenchmarkUint64(b *testing.B) {
	s := random.NewSource(1)
	for b.Loop() {
		s.Uint64()
	}
}
