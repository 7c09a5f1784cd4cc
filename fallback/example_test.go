package fallback_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stanch-go/stanch/fallback"
)

var errRecommendDown = errors.New("recommend: connection refused")

// Related articles in four levels: live, the last good list of this article,
// what is popular everywhere, and a list that is compiled in.
func Example() {
	snapshots, err := fallback.NewStore[string, []string](fallback.StoreConfig{MaxAge: time.Hour}, nil)
	if err != nil {
		panic(err)
	}
	popular, err := fallback.NewValue(fallback.ValueConfig{Every: time.Minute},
		func(context.Context) ([]string, error) { return []string{"most read"}, nil })
	if err != nil {
		panic(err)
	}
	gate, err := fallback.NewGate(fallback.Limits{}, nil)
	if err != nil {
		panic(err)
	}

	up := true
	recommend := func(_ context.Context, id string) ([]string, error) {
		if !up {
			return nil, errRecommendDown
		}
		return []string{"more on " + id}, nil
	}
	related := func(ctx context.Context, id string) (fallback.Answer[[]string], error) {
		list, err := recommend(ctx, id)
		if err == nil {
			snapshots.Put(id, list)
			return fallback.Answer[[]string]{Value: list, Source: fallback.Live}, nil
		}
		return fallback.Try(ctx, gate, err,
			fallback.Or("stale", snapshots.Get(id)),
			fallback.From("popular", popular),
			fallback.Static("static", []string{"about us"}))
	}
	show := func(id string) {
		answer, err := related(context.Background(), id)
		fmt.Println(answer.Source, answer.Value, answer.Degraded(), err)
	}

	show("go")
	up = false
	show("go")   // seen before
	show("rust") // not seen, and nothing popular yet
	if err := popular.Refresh(context.Background()); err != nil {
		panic(err)
	}
	show("rust")
	// Output:
	// live [more on go] false <nil>
	// stale [more on go] true <nil>
	// static [about us] true <nil>
	// popular [most read] true <nil>
}

// A chain that is the same for every call is built once.
func ExampleChain() {
	levels, err := fallback.NewChain(fallback.Limits{Timeout: 20 * time.Millisecond, Concurrent: 32},
		fallback.Or("cache", func(context.Context) (int, error) { return 0, fallback.ErrNoSnapshot }),
		fallback.Static("static", 1))
	if err != nil {
		panic(err)
	}
	answer, err := levels.Answer(context.Background(), errors.New("risk: timeout"))
	fmt.Println(answer.Value, answer.Source, answer.Cause, err)
	for _, s := range answer.Skipped {
		fmt.Println(s.Name, s.Err)
	}
	// Output:
	// 1 static risk: timeout <nil>
	// cache fallback: no snapshot
}

// When nothing answers, the error keeps why there is no live answer.
func ExampleNoAnswer() {
	levels, err := fallback.NewChain(fallback.Limits{},
		fallback.Or("stale", func(context.Context) (int, error) { return 0, fallback.ErrTooOld }))
	if err != nil {
		panic(err)
	}
	_, err = levels.Answer(context.Background(), errRecommendDown)
	fmt.Println(err)
	fmt.Println(errors.Is(err, errRecommendDown), errors.Is(err, fallback.ErrTooOld))
	// Output:
	// fallback: no answer: live: recommend: connection refused; stale: fallback: snapshot is too old
	// true true
}

type guarded struct{}

func (guarded) Load(context.Context) (string, error) { return "from the cache cluster", nil }
func (guarded) GuardedBy() string                    { return "cache" }

// A fallback through another dependency fails with that dependency.
func ExampleFrom_guarded() {
	_, err := fallback.NewChain(fallback.Limits{}, fallback.From("cached", guarded{}))
	fmt.Println(err)
	// Output:
	// alternatives[0]: "cached" is guarded by dependency "cache": an alternative must not call a dependency
}

// Where a function cannot be looked into, the context tells.
func ExampleInside() {
	call := func(ctx context.Context) (string, error) {
		if name, ok := fallback.Inside(ctx); ok {
			return "", fmt.Errorf("refused inside alternative %q", name)
		}
		return "v", nil
	}
	levels, err := fallback.NewChain(fallback.Limits{}, fallback.Or("other service", call))
	if err != nil {
		panic(err)
	}
	fmt.Println(call(context.Background()))
	fmt.Println(levels.Answer(context.Background(), nil))
	// Output:
	// v <nil>
	// {  0s <nil> []} fallback: no answer: other service: refused inside alternative "other service"
}

// A store is given the time, in nanoseconds of a monotonic clock.
func ExampleStore() {
	s, err := fallback.NewStore(fallback.StoreConfig{MaxAge: time.Minute, MaxBytes: 1 << 20},
		func(key, value string) int64 { return int64(len(key) + len(value)) })
	if err != nil {
		panic(err)
	}
	second := int64(time.Second)
	s.PutAt(10*second, "user/1", "gold")
	fmt.Println(s.LookupAt(40*second, "user/1"))
	fmt.Println(s.LookupAt(71*second, "user/1"))
	// Output:
	// gold 30s true
	//  0s false
}

// Of many callers at once, one loads.
func ExampleStore_Refresh() {
	s, err := fallback.NewStore[string, int](fallback.StoreConfig{}, nil)
	if err != nil {
		panic(err)
	}
	stock := func(context.Context) (int, error) { return 7, nil }
	fmt.Println(s.Refresh(context.Background(), "stock", stock))
	v, _, ok := s.Lookup("stock")
	fmt.Println(v, ok)
	// Output:
	// 7 <nil>
	// 7 true
}

// The owner of a value loads it before it serves, starts the refreshes, and
// stops them before it ends itself.
func ExampleValue() {
	level, err := fallback.NewValue(fallback.ValueConfig{Every: time.Minute},
		func(context.Context) (string, error) { return "normal", nil })
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	fmt.Println(level.Load(ctx))
	if err := level.Refresh(ctx); err != nil {
		fmt.Println("starting without:", err)
	}
	stop := level.Start(ctx)
	defer stop() // waits for its goroutine
	fmt.Println(level.Load(ctx))
	// Output:
	//  fallback: no snapshot
	// normal <nil>
}
