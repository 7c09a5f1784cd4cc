package quota

import (
	"testing"
)

func TestFiftyInstancesSpendOneQuota(t *testing.T) {
	for _, tt := range []struct {
		name   string
		cfg    Config
		demand []float64
	}{
		{"twice the quota, skewed", Config{Mode: ModeLeased, Rate: 10000}, skewed(50, 20000)},
		{"five times the quota, skewed", Config{Mode: ModeLeased, Rate: 10000}, skewed(50, 50000)},
		{"a little above", Config{Mode: ModeLeased, Rate: 10000}, skewed(50, 11000)},
		{"below", Config{Mode: ModeLeased, Rate: 10000}, skewed(50, 9000)},
		{"even", Config{Mode: ModeLeased, Rate: 10000}, even(50, 20000)},
		{"one alone", Config{Mode: ModeLeased, Rate: 10000}, even(1, 20000)},
		{"small burst", Config{Mode: ModeLeased, Rate: 10000, Burst: 1000}, skewed(50, 20000)},
		{"small burst, alone", Config{Mode: ModeLeased, Rate: 10000, Burst: 1000}, even(1, 20000)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFleet(t, tt.cfg, tt.demand)
			f.run(5 * second)
			admit, trips, offered := f.admit, f.trips, f.offered
			f.run(15 * second)
			got := float64(f.admit-admit) / 10
			t.Logf("%.1f/s of %v, trips 1/%.0f, held %.0f, first %d/%d last %d/%d", got, tt.cfg.Rate, float64(f.offered-offered)/float64(f.trips-trips), f.held(),
				f.all[0].admit, f.all[0].offered, f.all[len(f.all)-1].admit, f.all[len(f.all)-1].offered)
		})
	}
}

func even(n int, total float64) []float64 {
	d := make([]float64, n)
	for i := range d {
		d[i] = total / float64(n)
	}
	return d
}
