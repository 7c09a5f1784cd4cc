package redisquota_test

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/quota"
	"github.com/stanch-go/stanch/quota/redisquota"
)

// A cutter is a way to a server that can lose the answer to a request: what is
// sent arrives, and then the connection is gone.
type cutter struct {
	to   string
	cut  atomic.Int32 // how many answers are still to be lost
	lost atomic.Int32
	net.Listener
}

func cut(t *testing.T, to string) *cutter {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{to: to, Listener: l}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() { c.serve(from) })
		}
	})
	t.Cleanup(func() { l.Close(); running.Wait() })
	return c
}

func (c *cutter) serve(from net.Conn) {
	defer from.Close()
	to, err := net.Dial("tcp", c.to)
	if err != nil {
		return
	}
	defer to.Close()
	go func() {
		b := make([]byte, 64<<10)
		for {
			n, err := from.Read(b)
			if err != nil {
				to.Close()
				return
			}
			to.Write(b[:n])
		}
	}()
	b := make([]byte, 64<<10)
	for {
		n, err := to.Read(b)
		if err != nil {
			return
		}
		if c.cut.Load() > 0 {
			c.cut.Add(-1)
			c.lost.Add(1)
			return
		}
		from.Write(b[:n])
	}
}

// The client library sends a request again when its connection breaks before the
// answer. INCR, EVAL and all scripts of peers charge it twice then.
func TestAnAnswerThatIsLostIsChargedOnce(t *testing.T) {
	srv := start(t)
	way := cut(t, srv.addr())
	client := srv.client(func(o *redis.Options) { o.Addr = way.Addr().String() })
	s := must(redisquota.New(client, redisquota.Config{}))
	take(t, s, quota.Take{Key: "the script is known", Limit: slow})
	ready := func() { // the connection greets before the first request
		if err := client.Ping(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		id   string
		want float64 // what is left of 100
	}{{"", 80}, {"id", 90}} {
		ready()
		key := "k" + tt.id
		way.cut.Store(1)
		g := take(t, s, quota.Take{Key: key, ID: tt.id, Limit: slow, Need: 10, Remember: time.Minute})[0]
		if g.Granted != 10 {
			t.Errorf("%+v", g)
		}
		if n := left(t, s, key); !near(n, tt.want) {
			t.Errorf("with ID %q %v are left, want %v", tt.id, n, tt.want)
		}
	}
	if n := way.lost.Load(); n != 2 {
		t.Errorf("%d answers were lost, want 2", n)
	}
}

// A slice whose answer never comes is asked for again with the same ID, and what
// was given back with it is not given back twice.
func TestASliceIsNeitherLostNorTakenTwice(t *testing.T) {
	srv := start(t)
	way := cut(t, srv.addr())
	client := srv.client(func(o *redis.Options) { o.Addr, o.MaxRetries = way.Addr().String(), -1 })
	s := must(redisquota.New(client, redisquota.Config{}))
	q := must(quota.NewLeased(quota.Config{Mode: quota.ModeLeased, Rate: 1e-3, Window: time.Hour, Burst: 100, Timeout: time.Second,
		Remember: time.Minute, OnFailure: quota.FailClosed}, s, quota.Options{}))
	client.Ping(t.Context())
	way.cut.Store(1)
	if d := q.Allow(t.Context(), "k", 1); d.OK || !errors.Is(d.Err, quota.ErrStore) {
		t.Fatalf("%+v", d)
	}
	until(t, "the slice comes after all", func() bool { return q.Allow(t.Context(), "k", 1).OK })
	if n := left(t, s, "k") + q.Stats().Held + 1; !near(n, 100) {
		t.Errorf("left, held and spent are %v, want 100", n)
	}
	if err := q.Return(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := left(t, s, "k"); !near(n, 99) {
		t.Errorf("left %v after the return, want 99", n)
	}
}

func TestRedisHangs(t *testing.T) {
	srv := start(t)
	s := srv.store(redisquota.Config{})
	cfg := quota.Config{Mode: quota.ModeCentral, Rate: 1e-3, Window: time.Hour, Burst: 1000, Timeout: 50 * time.Millisecond, OnFailure: quota.FailOpen}
	q := must(quota.NewCentral(cfg, s))
	if d := q.Allow(t.Context(), "k", 1); !d.OK || d.Err != nil {
		t.Fatalf("%+v", d)
	}
	srv.pause()
	var longest, total time.Duration
	for range 200 {
		begun := time.Now()
		d := q.Allow(t.Context(), "k", 1)
		took := time.Since(begun)
		longest, total = max(longest, took), total+took
		if !d.OK || !errors.Is(d.Err, quota.ErrStore) {
			t.Fatalf("%+v", d)
		}
	}
	t.Logf("200 requests to a Redis that hangs waited %v in all, the longest %v", total, longest)
	if longest > 500*time.Millisecond { // ten times the timeout, for a busy machine
		t.Errorf("a request waited %v", longest)
	}
	// Five open the breaker, and single probes follow.
	if total > 3*time.Second || s.Breaker().State() != breaker.Open {
		t.Errorf("200 requests waited %v, the breaker is %v", total, s.Breaker().State())
	}
	if d := q.Allow(t.Context(), "k", 1); !errors.Is(d.Err, redisquota.ErrOpen) && !errors.Is(d.Err, context.DeadlineExceeded) {
		t.Errorf("%v", d.Err)
	}
	srv.resume()
	until(t, "Redis is asked again", func() bool { return q.Allow(t.Context(), "k", 1).Err == nil })
	until(t, "the breaker is closed", func() bool {
		q.Allow(t.Context(), "k", 0)
		return s.Breaker().State() == breaker.Closed
	})
	// What lay in the socket is charged now: the breaker kept it to a few.
	cfg = cfg.Effective()
	all := quota.Limit{Rate: cfg.Rate, Window: cfg.Window, Burst: cfg.Burst}
	if n := take(t, s, quota.Take{Key: "k", Limit: all})[0].Remaining; n < 1000-30 {
		t.Errorf("left %v of 1000: Redis was charged for what nobody waited for", n)
	}
}

func TestACallerWhoLeavesIsNoFailure(t *testing.T) {
	srv := start(t)
	s := srv.store(redisquota.Config{})
	take(t, s, quota.Take{Key: "k", Limit: slow})
	srv.pause()
	q := must(quota.NewCentral(quota.Config{Mode: quota.ModeCentral, Rate: 10, Timeout: 10 * time.Second}, s))
	for range 8 {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		if d := q.Allow(ctx, "k", 1); d.OK || !errors.Is(d.Err, context.DeadlineExceeded) || errors.Is(d.Err, quota.ErrStore) {
			t.Errorf("%+v", d)
		}
		cancel()
	}
	if st := s.Breaker().State(); st != breaker.Closed {
		t.Errorf("the breaker is %v: eight callers had little time, which says nothing about Redis", st)
	}
	srv.resume()
}

func TestRedisIsGoneAndComesBack(t *testing.T) {
	srv := start(t)
	s := srv.store(redisquota.Config{})
	// Each failure is noticed at once: nobody listens.
	at := func(f quota.OnFailure, instances int) *quota.Central {
		return must(quota.NewCentral(quota.Config{Mode: quota.ModeCentral, Rate: 1e-3, Window: time.Hour, Burst: 100, OnFailure: f, Instances: instances, Timeout: time.Second}, s))
	}
	closed, open, local := at(quota.FailClosed, 0), at(quota.FailOpen, 0), at(quota.FailLocal, 10)
	take(t, s, quota.Take{Key: "k", Limit: slow, Need: 60})
	srv.kill()
	count := func(q *quota.Central) (n int) {
		for range 50 {
			d := q.Allow(t.Context(), "k", 1)
			if !errors.Is(d.Err, quota.ErrStore) {
				t.Fatalf("%+v", d)
			}
			if d.OK {
				n++
			}
		}
		return n
	}
	if c, o, l := count(closed), count(open), count(local); c != 0 || o != 50 || l != 10 {
		t.Errorf("closed admitted %d, open %d, local %d of 50; want 0, 50 and a tenth of the burst", c, o, l)
	}
	if !srv.run() {
		t.Fatal("the port is taken")
	}
	until(t, "it is asked again", func() bool { return closed.Allow(t.Context(), "other", 1).Err == nil })
	// Redis has forgotten: a full bucket, and no more.
	if n := left(t, s, "k"); !near(n, 100) {
		t.Errorf("left %v, want 100", n)
	}
}

func TestDataThatIsKeptSurvivesARestart(t *testing.T) {
	srv := start(t, "--appendonly", "yes", "--appendfsync", "always", "--dir", t.TempDir())
	s := srv.store(redisquota.Config{})
	take(t, s, quota.Take{Key: "k", ID: "1", Limit: slow, Need: 60, Remember: time.Minute})
	srv.kill()
	if !srv.run() {
		t.Fatal("the port is taken")
	}
	g := take(t, s, quota.Take{Key: "k", ID: "1", Limit: slow, Need: 60, Remember: time.Minute})[0]
	if n := left(t, s, "k"); g.Granted != 60 || !near(n, 40) {
		t.Errorf("%+v, left %v, want 40: what was sent before the restart is known after it", g, n)
	}
}

func TestAReplicaBecomesMaster(t *testing.T) {
	a := start(t, "--repl-diskless-sync-delay", "0")
	b := start(t, "--replicaof", "127.0.0.1 "+a.addr()[len("127.0.0.1:"):])
	var master atomic.Pointer[server]
	master.Store(a)
	client := redis.NewClient(&redis.Options{
		ContextTimeoutEnabled: true, DialerRetries: 1,
		Dialer: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, master.Load().addr())
		},
	})
	t.Cleanup(func() { client.Close() })
	s := must(redisquota.New(client, redisquota.Config{}))
	take(t, s, quota.Take{Key: "k", ID: "1", Limit: slow, Need: 60, Remember: time.Minute})
	replica := b.client(nil)
	until(t, "the replica has it", func() bool {
		return replica.Exists(t.Context(), "stanch:bucket:{1:k}", "stanch:seen:{1:k}1").Val() == 2
	})
	if ttl := replica.PTTL(t.Context(), "stanch:bucket:{1:k}").Val(); ttl <= 0 {
		t.Errorf("on the replica the bucket lives for %v", ttl)
	}
	a.kill()
	master.Store(b)
	// Not yet promoted it refuses to write: an error, not a decision.
	var g [1]quota.Grant
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := s.Take(ctx, []quota.Take{{Key: "k", Limit: slow, Need: 1}}, g[:]); err == nil {
		t.Errorf("a replica granted %+v", g)
	}
	if err := replica.ReplicaOf(t.Context(), "NO", "ONE").Err(); err != nil {
		t.Fatal(err)
	}
	// It does not know the script, and knows what was charged.
	until(t, "the new master answers", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		return s.Take(ctx, []quota.Take{{Key: "k", ID: "1", Limit: slow, Need: 60, Remember: time.Minute}}, g[:]) == nil
	})
	if n := left(t, s, "k"); g[0].Granted != 60 || !near(n, 40) {
		t.Errorf("%+v, left %v, want 40", g[0], n)
	}
}
