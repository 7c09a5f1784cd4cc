package redisquota_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/quota"
	"github.com/stanch-go/stanch/quota/redisquota"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-4 }

func TestTakes(t *testing.T) {
	s := start(t).store(redisquota.Config{})
	hour := quota.Limit{Rate: 3600, Window: time.Hour, Burst: 100}
	for _, tt := range []struct {
		name      string
		take      quota.Take
		granted   float64
		remaining float64
		retry     time.Duration
		reset     time.Duration
	}{
		{name: "peek", take: quota.Take{}, remaining: 100},
		{name: "all or nothing", take: quota.Take{Need: 30}, granted: 30, remaining: 70, reset: 30 * time.Second},
		{name: "a fraction", take: quota.Take{Need: 0.25}, granted: 0.25, remaining: 69.75, reset: 30 * time.Second},
		{name: "too much now", take: quota.Take{Need: 80}, remaining: 69.75, retry: 10 * time.Second, reset: 30 * time.Second},
		{name: "too much ever", take: quota.Take{Need: 101}, remaining: 69.75, retry: quota.Never, reset: 30 * time.Second},
		{name: "half at most", take: quota.Take{Want: 60}, granted: 34, remaining: 35.75, reset: 64 * time.Second},
		{name: "in proportion", take: quota.Take{Want: 20, Period: time.Minute}, granted: 11, remaining: 24.75, reset: 75 * time.Second},
		{name: "need first", take: quota.Take{Need: 24, Want: 24}, granted: 24, remaining: 0.75, reset: 99 * time.Second},
		{name: "given back, no more than burst", take: quota.Take{Return: 1000}, remaining: 100},
		{name: "no number", take: quota.Take{Need: math.NaN(), Return: math.NaN()}, remaining: 100},
	} {
		tt.take.Key, tt.take.Limit = "k", hour
		g := take(t, s, tt.take)[0]
		// A second or two may pass, and a token a second.
		if g.Granted != tt.granted || math.Abs(g.Remaining-tt.remaining) > 2 || (tt.retry-g.RetryAfter).Abs() > 3*time.Second ||
			(tt.reset-g.ResetAfter).Abs() > 3*time.Second {
			t.Errorf("%s: %+v, want %+v", tt.name, g, tt)
		}
	}
}

func TestRefillsByTheClockOfTheServer(t *testing.T) {
	q := must(quota.NewCentral(quota.Config{Mode: quota.ModeCentral, Rate: 50, Burst: 5, Timeout: time.Second}, start(t).store(redisquota.Config{})))
	begun := time.Now()
	if d := q.Allow(t.Context(), "k", 5); !d.OK || d.Err != nil {
		t.Fatalf("%+v", d)
	}
	d := q.Allow(t.Context(), "k", 5)
	if d.OK || d.RetryAfter <= 0 || d.RetryAfter > 100*time.Millisecond {
		t.Fatalf("%+v", d)
	}
	until(t, "it is refilled", func() bool { return q.Allow(t.Context(), "k", 5).OK })
	if took := time.Since(begun); took < 99*time.Millisecond {
		t.Errorf("refilled after %v", took)
	}
}

func TestSeveralTakesInOneRoundTrip(t *testing.T) {
	srv := start(t)
	s := srv.store(redisquota.Config{})
	for range 2 { // the second time with the script known
		g := take(t, s, quota.Take{Key: "a", Limit: slow, Need: 1}, quota.Take{Key: "b", Limit: slow, Need: 2}, quota.Take{Key: "a", Limit: slow, Need: 3})
		if g[0].Granted != 1 || g[1].Granted != 2 || g[2].Granted != 3 {
			t.Errorf("%+v", g)
		}
	}
	if a, b := left(t, s, "a"), left(t, s, "b"); !near(a, 92) || !near(b, 96) {
		t.Errorf("left %v and %v", a, b)
	}
}

func TestScriptsThatAreLost(t *testing.T) {
	srv := start(t)
	s, c := srv.store(redisquota.Config{}), srv.client(nil)
	for i := range 3 {
		if err := c.ScriptFlush(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			take(t, s, quota.Take{Key: "k", Limit: slow, Need: 1}, quota.Take{Key: "l", Limit: slow, Need: 1})
		} else {
			take(t, s, quota.Take{Key: "k", Limit: slow, Need: 1})
		}
	}
	if n := left(t, s, "k"); !near(n, 97) {
		t.Errorf("left %v, want 97", n)
	}
	if s.Breaker().State() != breaker.Closed {
		t.Error("a lost script is no failure of Redis")
	}
}

func TestEveryKeyExpires(t *testing.T) {
	srv := start(t)
	s, c := srv.store(redisquota.Config{}), srv.client(nil)
	limit := quota.Limit{Rate: 1000, Window: time.Second, Burst: 100}
	take(t, s, quota.Take{Key: "k", ID: "1", Limit: limit, Need: 100, Remember: time.Second},
		quota.Take{Key: "slow", Limit: quota.Limit{Rate: 1e-9, Window: 8784 * time.Hour, Burst: 1e12}, Need: 1e12})
	keys, err := c.Keys(t.Context(), "*").Result()
	if err != nil || len(keys) != 3 {
		t.Fatal(keys, err)
	}
	for _, k := range keys {
		if ttl := c.PTTL(t.Context(), k).Val(); ttl <= 0 {
			t.Errorf("%s lives for %v", k, ttl)
		}
	}
	until(t, "the bucket that is full again is gone, and the ID", func() bool { return len(c.Keys(t.Context(), "*{1:k}*").Val()) == 0 })
	if g := take(t, s, quota.Take{Key: "k", ID: "1", Limit: limit, Need: 100})[0]; g.Granted != 100 {
		t.Errorf("%+v, want all of it", g)
	}
}

func TestABucketAtRestTakesNoMemory(t *testing.T) {
	srv := start(t)
	s, c := srv.store(redisquota.Config{}), srv.client(nil)
	take(t, s, quota.Take{Key: "k", Limit: slow, Need: 1})
	take(t, s, quota.Take{Key: "k", Limit: slow, Return: 1})
	take(t, s, quota.Take{Key: "k", Limit: slow, Need: 200})
	if n := c.DBSize(t.Context()).Val(); n != 0 {
		t.Errorf("%d keys", n)
	}
}

func TestAClockThatJumps(t *testing.T) {
	srv := start(t)
	s, c := srv.store(redisquota.Config{}), srv.client(nil)
	limit := quota.Limit{Rate: 100, Window: time.Second, Burst: 10_000} // 100 s until it is full, or expires
	take(t, s, quota.Take{Key: "k", Limit: limit, Need: 10_000})
	bucket := c.Keys(t.Context(), "*bucket*").Val()[0]
	// As written by a master whose clock was an hour ahead.
	ahead := time.Now().Add(time.Hour).UnixMicro()
	if err := c.HSet(t.Context(), bucket, "level", 0, "at", ahead).Err(); err != nil {
		t.Fatal(err)
	}
	g := take(t, s, quota.Take{Key: "k", Limit: limit, Need: 50})[0]
	if g.Granted != 0 || g.RetryAfter > time.Second {
		t.Errorf("opened or starves: %+v", g)
	}
	until(t, "it goes on from here", func() bool { return take(t, s, quota.Take{Key: "k", Limit: limit, Need: 50})[0].Granted == 50 })
}

func TestClientsThatDoNotHeedTheContextAreRefused(t *testing.T) {
	for _, c := range []redis.UniversalClient{
		redis.NewClient(&redis.Options{}), redis.NewClusterClient(&redis.ClusterOptions{}), redis.NewRing(&redis.RingOptions{}),
	} {
		if _, err := redisquota.New(c, redisquota.Config{}); !errors.Is(err, redisquota.ErrContext) {
			t.Errorf("%T: %v", c, err)
		}
		c.Close()
	}
}

func TestConfig(t *testing.T) {
	err := redisquota.Config{Prefix: "a{b", Breaker: breaker.Config{Window: -1, Probes: -1}}.Validate()
	if err == nil {
		t.Fatal("no fault")
	}
	lines := strings.Split(err.Error(), "\n")
	for i, want := range []string{"prefix: ", "breaker.window: ", "breaker.probes: "} {
		if i >= len(lines) || !strings.HasPrefix(lines[i], want) {
			t.Fatalf("faults are %q", lines)
		}
	}
	if _, err := redisquota.New(redis.NewClient(&redis.Options{ContextTimeoutEnabled: true}), redisquota.Config{Prefix: "{"}); err == nil {
		t.Error("New takes a prefix with braces")
	}
	e := redisquota.Config{}.Effective()
	if e.Prefix != "stanch:" || e.Breaker.Consecutive != 5 || e.Validate() != nil || e.Effective() != e {
		t.Errorf("%+v", e)
	}
}

func TestCluster(t *testing.T) {
	srv := start(t, "--cluster-enabled", "yes")
	one := srv.client(nil)
	if err := one.ClusterAddSlotsRange(t.Context(), 0, 16383).Err(); err != nil {
		t.Fatal(err)
	}
	until(t, "the cluster is up", func() bool { return strings.Contains(one.ClusterInfo(t.Context()).Val(), "cluster_state:ok") })
	c := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{srv.addr()}, ContextTimeoutEnabled: true})
	defer c.Close()
	s := must(redisquota.New(c, redisquota.Config{}))
	for _, key := range []string{"k", "", "}", "{}", "a}b{c", "a}:x"} {
		for range 2 {
			g := take(t, s, quota.Take{Key: key, ID: "{1}", Limit: slow, Need: 1, Remember: time.Minute}, quota.Take{Key: key + "2", ID: "1", Limit: slow, Need: 1, Remember: time.Minute})
			if g[0].Granted != 1 || g[1].Granted != 1 {
				t.Errorf("%q: %+v", key, g)
			}
		}
		if n := left(t, s, key); !near(n, 99) {
			t.Errorf("%q: left %v, want 99", key, n)
		}
	}
}

func TestAForeignKeyIsAFailureNotAPanic(t *testing.T) {
	srv := start(t)
	s, c := srv.store(redisquota.Config{}), srv.client(nil)
	c.Set(t.Context(), "stanch:bucket:{1:k}", "not ours", 0)
	var g [1]quota.Grant
	err := s.Take(context.Background(), []quota.Take{{Key: "k", Limit: slow, Need: 1}}, g[:])
	if err == nil || !strings.Contains(err.Error(), "WRONGTYPE") {
		t.Errorf("%v", err)
	}
}
