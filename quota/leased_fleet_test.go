package quota

import (
	"testing"
	"time"
)

func leasedConfig(change func(*Config)) Config {
	c := Config{Mode: ModeLeased, Rate: 10_000, OnFailure: FailClosed}
	if change != nil {
		change(&c)
	}
	return c
}

// between runs the fleet and returns what was admitted a second and how many
// requests there were for a round trip.
func (f *fleet) between(from, to int64) (perSecond, requestsPerTrip float64) {
	f.run(from)
	admit, trips, offered := f.admit, f.trips, f.offered
	f.run(to)
	return float64(f.admit-admit) / float64(to-from) * float64(second), float64(f.offered-offered) / float64(f.trips-trips)
}

// The central way makes a round trip for each request.
func TestFiftyInstancesSpendOneQuota(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Config)
		demand []float64
		trips  float64 // requests for a round trip, at least
	}{
		{"twice the quota, skewed", nil, skewed(50, 20_000), 50},
		{"five times the quota, skewed", nil, skewed(50, 50_000), 50},
		{"a fifth above, skewed", nil, skewed(50, 12_000), 50},
		{"twice, even", nil, even(50, 20_000), 50},
		{"one alone", nil, even(1, 20_000), 50},
		// What little burst costs.
		{"a burst of a tenth of a second", func(c *Config) { c.Burst = 1000 }, skewed(50, 20_000), 10},
		{"the same, alone", func(c *Config) { c.Burst = 1000 }, even(1, 20_000), 50},
		{"slow and wide", func(c *Config) { c.Rate, c.Window = 600_000, time.Minute; c.Burst = 20_000 }, skewed(50, 20_000), 50},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFleet(t, leasedConfig(tt.change), tt.demand)
			// The burst is spent first.
			got, trips := f.between(6*second, 12*second)
			busiest, least := f.all[0], f.all[len(f.all)-1]
			t.Logf("%.1f %% of the quota, 1/%.0f of the round trips, %.0f held; the busiest got %.0f %% of its demand, the least busy %.0f %%",
				got/100, trips, f.held(), busiest.served(), least.served())
			if got < 9700 || got > 10_100 {
				t.Errorf("%.1f %% of the quota, want 97 to 101", got/100)
			}
			if trips < tt.trips {
				t.Errorf("one round trip for %.1f requests, want %v", trips, tt.trips)
			}
		})
	}
}

func (in *instance) served() float64 { return 100 * float64(in.admit) / float64(in.offered) }

// Below the quota nobody is refused, from the first request on.
func TestBelowTheQuotaNobodyIsRefused(t *testing.T) {
	f := newFleet(t, leasedConfig(nil), skewed(50, 9000))
	_, trips := f.between(0, 10*second)
	f.run(f.now + 50*ms)
	if f.offered-f.admit > 20 { // those that still wait
		t.Errorf("%d of %d refused", f.offered-f.admit, f.offered)
	}
	if trips < 25 {
		t.Errorf("one round trip for %.1f requests", trips)
	}
}

// Slices follow the demand: what one instance no longer needs another has soon.
func TestDemandThatMoves(t *testing.T) {
	f := newFleet(t, leasedConfig(nil), even(2, 12_000))
	f.run(10 * second)
	f.all[0].every, f.all[1].every = second/1000, second/20_000
	admit := f.all[1].admit
	f.run(14 * second)
	got := float64(f.all[1].admit-admit) / 4
	if got < 8700 || got > 9700 { // of 10000, of which the other has up to 1000
		t.Errorf("the one with all the demand gets %.0f a second", got)
	}
}

// A crash costs what the instance held, once; what it would have got later goes to
// the others.
func TestACrashCostsOneSlice(t *testing.T) {
	f := newFleet(t, leasedConfig(nil), even(10, 20_000))
	f.run(5 * second)
	before, lost := f.admit, 0.0
	for _, in := range f.all[:3] {
		lost += in.q.Stats().Held
		in.crashed = true
	}
	f.run(10 * second)
	if most := 3 * f.all[0].q.set.Load().MaxSlice; lost > most {
		t.Errorf("three instances held %v, at most %v", lost, most)
	}
	got := float64(f.admit - before)
	if got < 0.99*50_000-lost || got > 50_000*1.01 {
		t.Errorf("the seven others got %v in 5 s, and %v was lost", got, lost)
	}
}

// An instance that is cut off spends its slice, for a Term at most, and then has
// its local share. All the others go on with the whole quota.
func TestAPartition(t *testing.T) {
	for _, tt := range []struct {
		on          OnFailure
		instances   int
		least, most float64 // what the one that is cut off gets a second, later
	}{
		{FailClosed, 0, 0, 0},
		{FailLocal, 10, 990, 1010},
		{FailOpen, 0, 1990, 2010},
	} {
		t.Run(string(tt.on), func(t *testing.T) {
			f := newFleet(t, leasedConfig(func(c *Config) { c.OnFailure, c.Instances = tt.on, tt.instances }), even(10, 20_000))
			f.lost = func(i int, now int64) bool { return i == 0 && now >= 5*second && now < 15*second }
			f.run(5 * second)
			one, all := f.all[0], f.admit-f.all[0].admit
			f.run(10 * second)
			mine := one.admit
			f.run(14 * second)
			if got := float64(one.admit-mine) / 4; got < tt.least || got > tt.most {
				t.Errorf("cut off it admits %v a second, want %v to %v", got, tt.least, tt.most)
			}
			if got := float64(f.admit-one.admit-all) / 9; got < 9700 || got > 10_100 {
				t.Errorf("the others admit %v a second, want all of the quota", got)
			}
			if got, _ := f.between(17*second, 22*second); got < 9700 || got > 10_100 {
				t.Errorf("after it, all admit %v a second", got)
			}
		})
	}
}

// Without a store at all, shares add up to the quota.
func TestTheStoreIsGone(t *testing.T) {
	f := newFleet(t, leasedConfig(func(c *Config) { c.OnFailure, c.Instances = FailLocal, 10 }), even(10, 20_000))
	f.lost = func(_ int, now int64) bool { return now >= 5*second && now < 15*second }
	got, _ := f.between(8*second, 15*second)
	if got < 9900 || got > 10_100 {
		t.Errorf("%v a second without a store, want 10000", got)
	}
	if got, _ := f.between(17*second, 22*second); got < 9700 || got > 10_100 {
		t.Errorf("%v a second after it", got)
	}
}
