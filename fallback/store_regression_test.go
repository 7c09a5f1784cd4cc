package fallback

import (
	"testing"
	"time"
)

// x/time/rate (golang/go#65508): of concurrent callers, one that comes with an
// older instant takes time back. An older value must not replace a newer one
// and make it look new.
func TestRegressionOvertakenPutIsIgnored(t *testing.T) {
	s := newStore(t, StoreConfig{})
	s.PutAt(20, "k", "newer")
	if s.PutAt(10, "k", "older") {
		t.Error("an older value was stored")
	}
	if v, age, _ := s.LookupAt(25, "k"); v != "newer" || age != 5*time.Nanosecond {
		t.Errorf("got %q aged %v", v, age)
	}
}

// gobreaker's callback deadlocks when it asks the breaker, for it runs under
// the lock. The measure of size is the user's code, and may ask the store.
func TestRegressionSizeRunsOutsideTheLock(t *testing.T) {
	var s *Store[string, string]
	s, err := NewStore(StoreConfig{}, func(key, v string) int64 {
		s.Lookup(key)
		return s.Bytes() + 1
	})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	go func() { done <- s.Put("k", "v") }()
	select {
	case ok := <-done:
		if !ok {
			t.Error("not stored")
		}
	case <-time.After(10 * time.Second):
		t.Fatal("deadlock")
	}
}

// throttled's statistics went negative when a quantity was larger than the
// burst. A measure that is negative or absurd must not break the count.
func TestRegressionAbsurdSizes(t *testing.T) {
	size := int64(-1 << 62)
	s, err := NewStore(StoreConfig{MaxBytes: 1<<63 - 1, MaxEntries: 10}, func(string, string) int64 { return size })
	if err != nil {
		t.Fatal(err)
	}
	s.Put("a", "v")
	if s.Bytes() != 0 {
		t.Errorf("a negative size counts %d", s.Bytes())
	}
	size = 1<<63 - 1
	s.Put("b", "v")
	s.Put("c", "v")
	if s.Len() != 1 || s.Bytes() != size {
		t.Errorf("%d entries in %d bytes, want one that fills the store", s.Len(), s.Bytes())
	}
}

// A map panics on a key whose dynamic type cannot be hashed. Where that happens
// under a lock that is not released in a defer, the store is lost with it.
func TestRegressionUnhashableKeyReleasesTheLock(t *testing.T) {
	s, err := NewStore[any, int](StoreConfig{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	bad := any([]int{1})
	for name, use := range map[string]func(){
		"put":     func() { s.PutAt(0, bad, 1) },
		"lookup":  func() { s.LookupAt(0, bad) },
		"delete":  func() { s.Delete(bad) },
		"refresh": func() { s.Refresh(t.Context(), bad, always(1)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			use()
		}()
		if !s.mu.TryLock() {
			t.Fatalf("%s: the lock is lost", name)
		}
		s.mu.Unlock()
	}
}
