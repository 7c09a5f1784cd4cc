package redisquota_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/stanch-go/stanch/quota"
	"github.com/stanch-go/stanch/quota/redisquota"
)

// job is what one of several processes is told to do: to ask for a quota so many
// times a second, and to count from Begin to End.
type job struct {
	Addr       string
	PerSecond  float64
	Rate       float64
	Start      time.Time
	Begin, End time.Time
}

// result is what it has counted.
type result struct {
	Offered, Admitted int
	Asked             uint64
	Errors            int
}

const jobVariable = "STANCH_QUOTA_JOB"

// silent is a logger of the client library, which reports each attempt to dial.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

// TestMain is also the main function of the processes.
func TestMain(m *testing.M) {
	redis.SetLogger(silent{})
	text := os.Getenv(jobVariable)
	if text == "" {
		os.Exit(m.Run())
	}
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		panic(err)
	}
	json.NewEncoder(os.Stdout).Encode(j.work())
}

func (j job) work() result {
	client := redis.NewClient(&redis.Options{Addr: j.Addr, ContextTimeoutEnabled: true})
	store := must(redisquota.New(client, redisquota.Config{}))
	q := must(quota.NewLeased(quota.Config{Mode: quota.ModeLeased, Rate: j.Rate, Period: 100 * time.Millisecond, Timeout: time.Second, OnFailure: quota.FailClosed}, store, quota.Options{}))
	ctx, cancel := context.WithDeadline(context.Background(), j.End)
	defer cancel()
	var running sync.WaitGroup
	running.Go(func() { q.Run(ctx) })
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	var r result
	var before uint64
	for sent := 0; ; <-tick.C {
		now := time.Now()
		if !now.Before(j.End) {
			r.Asked = q.Stats().Asked - before
			running.Wait()
			return r
		}
		counts := !now.Before(j.Begin)
		if !counts {
			before = q.Stats().Asked
		}
		for due := int(now.Sub(j.Start).Seconds() * j.PerSecond); sent < due; sent++ {
			d := q.Allow(context.Background(), "tenant", 1)
			if !counts {
				continue
			}
			r.Offered++
			if d.OK {
				r.Admitted++
			}
			if d.Err != nil {
				r.Errors++
			}
		}
	}
}

// Eight processes of different demand, twice what the quota allows in all.
func TestEightProcessesSpendOneQuota(t *testing.T) {
	const (
		n      = 8
		rate   = 10000.0
		warm   = 2 * time.Second // the burst is spent, and everybody knows its demand
		length = 6 * time.Second
	)
	srv := start(t)
	harmonic := 0.0
	for i := range n {
		harmonic += 1 / float64(i+1)
	}
	begin := time.Now().Add(time.Second)
	results := make([]result, n)
	var running sync.WaitGroup
	for i := range n {
		j := job{Addr: srv.addr(), PerSecond: 2 * rate / float64(i+1) / harmonic, Rate: rate,
			Start: begin, Begin: begin.Add(warm), End: begin.Add(warm + length)}
		running.Go(func() {
			if err := j.run(t, &results[i]); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	var sum result
	for _, r := range results {
		sum.Offered += r.Offered
		sum.Admitted += r.Admitted
		sum.Asked += r.Asked
		sum.Errors += r.Errors
	}
	share := float64(sum.Admitted) / (rate * length.Seconds())
	trips := float64(sum.Offered) / float64(sum.Asked)
	t.Logf("8 processes asked for %d in %v and got %d, %.1f %% of the quota, with %d round trips: 1/%.0f of the central way's; the busiest got %.0f %% of its demand, the least busy %.0f %%",
		sum.Offered, length, sum.Admitted, 100*share, sum.Asked, trips, percent(results[0]), percent(results[n-1]))
	if share < 0.97 || share > 1.01 {
		t.Errorf("admitted %.1f %% of the quota, want 97 to 101", 100*share)
	}
	if trips < 50 {
		t.Errorf("one round trip for %.0f decisions, want 50", trips)
	}
	if sum.Errors > 0 {
		t.Errorf("%d decisions without the store", sum.Errors)
	}
}

func percent(r result) float64 { return 100 * float64(r.Admitted) / float64(max(r.Offered, 1)) }

// run starts this program again, with the job.
func (j job) run(t *testing.T, r *result) error {
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), jobVariable+"="+string(text))
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%w: %s", err, errs.String())
	}
	return json.Unmarshal(out, r)
}

// The other side of the comparison: each decision of the central way is one call
// of the script, and nothing else.
func TestCentralIsOneRoundTripADecision(t *testing.T) {
	srv := start(t)
	q := must(quota.NewCentral(quota.Config{Mode: quota.ModeCentral, Rate: 100, Timeout: time.Second}, srv.store(redisquota.Config{})))
	q.Allow(t.Context(), "tenant", 1) // sends the script
	for range 500 {
		if d := q.Allow(t.Context(), "tenant", 1); d.Err != nil {
			t.Fatal(d.Err)
		}
	}
	info := srv.client(nil).Info(t.Context(), "commandstats").Val()
	if !strings.Contains(info, "cmdstat_evalsha:calls=501,") || !strings.Contains(info, "cmdstat_eval:calls=1,") {
		t.Errorf("want 501 calls and the script once:\n%s", info)
	}
	if st := q.Stats(); st.Asked != 501 || st.Failed != 0 {
		t.Errorf("%+v", st)
	}
}
