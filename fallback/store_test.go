package fallback

import (
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func newStore(t testing.TB, cfg StoreConfig) *Store[string, string] {
	t.Helper()
	s, err := NewStore(cfg, func(key, v string) int64 { return int64(len(key) + len(v)) })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStoreAges(t *testing.T) {
	s := newStore(t, StoreConfig{MaxAge: 10})
	s.PutAt(100, "k", "v")
	for _, step := range []struct {
		now int64
		age time.Duration
		ok  bool
	}{
		{100, 0, true},
		{105, 5, true},
		{50, 0, true}, // time going backwards is harmless
		{110, 10, true},
		{111, 0, false}, // expired, and dropped
		{105, 0, false},
	} {
		if _, age, ok := s.LookupAt(step.now, "k"); age != step.age || ok != step.ok {
			t.Errorf("at %d: age %v, %v, want %v, %v", step.now, age, ok, step.age, step.ok)
		}
	}
	if s.Len() != 0 || s.Bytes() != 0 {
		t.Errorf("%d entries, %d bytes kept of an expired snapshot", s.Len(), s.Bytes())
	}
}

func TestStoreAgeSaturates(t *testing.T) {
	s := newStore(t, StoreConfig{MaxAge: math.MaxInt64})
	s.PutAt(math.MinInt64, "k", "v")
	if _, age, ok := s.LookupAt(math.MaxInt64, "k"); !ok || age != math.MaxInt64 {
		t.Errorf("age %v, %v, want the longest there is", age, ok)
	}
}

func TestStoreEvictsTheLeastRecentlyUsed(t *testing.T) {
	s := newStore(t, StoreConfig{MaxBytes: 10, MaxEntries: 3})
	put := func(key, v string, want bool) {
		t.Helper()
		if got := s.PutAt(0, key, v); got != want {
			t.Errorf("put %s: %v, want %v", key, got, want)
		}
	}
	has := func(keys string, bytes int64) {
		t.Helper()
		var got strings.Builder
		for _, k := range []string{"a", "b", "c", "d"} {
			s.mu.Lock()
			if s.entries[k] != nil {
				got.WriteString(k)
			}
			s.mu.Unlock()
		}
		if got.String() != keys || s.Len() != len(keys) || s.Bytes() != bytes {
			t.Errorf("has %q in %d bytes, want %q in %d", got.String(), s.Bytes(), keys, bytes)
		}
	}
	put("a", "1", true)
	put("b", "1", true)
	put("c", "1", true)
	has("abc", 6)
	s.LookupAt(0, "a") // now b is the least recently used
	put("d", "1", true)
	has("acd", 6)
	put("a", "1234567890", false) // larger than the store: keeps what it has
	has("acd", 6)
	put("d", "1234567", true) // 8 bytes: c leaves, the least recently used, a stays
	has("ad", 10)
	put("b", "123456789", true) // 10 bytes: all others leave
	has("b", 10)
	s.Delete("b")
	s.Delete("b")
	has("", 0)
}

func TestStoreLoaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, StoreConfig{MaxAge: time.Minute})
		c, err := NewChain(Limits{},
			Or("fresh", s.GetWithin("k", 10*time.Second)),
			Or("stale", s.Get("k")),
			Static("static", "nothing"))
		if err != nil {
			t.Fatal(err)
		}
		ask := func(source string, age time.Duration, skips ...error) {
			t.Helper()
			answer, err := c.Answer(t.Context(), errDown)
			if err != nil || answer.Source != source || answer.Age != age || len(answer.Skipped) != len(skips) {
				t.Fatalf("answer = %+v, %v, want %s aged %v", answer, err, source, age)
			}
			for i, s := range answer.Skipped {
				if !errors.Is(s.Err, skips[i]) {
					t.Errorf("%s: %v, want %v", s.Name, s.Err, skips[i])
				}
			}
		}
		ask("static", 0, ErrNoSnapshot, ErrNoSnapshot)
		s.Put("k", "v")
		time.Sleep(10 * time.Second)
		ask("fresh", 10*time.Second)
		time.Sleep(time.Second)
		ask("stale", 11*time.Second, ErrTooOld)
		if v, age, ok := s.Lookup("k"); v != "v" || age != 11*time.Second || !ok {
			t.Errorf("Lookup = %q, %v, %v", v, age, ok)
		}
		time.Sleep(time.Minute)
		ask("static", 0, ErrTooOld, ErrNoSnapshot)
	})
}

func TestStoreConfigFaults(t *testing.T) {
	_, err := NewStore[string, string](StoreConfig{-1, -2, -3, -4}, nil)
	want := strings.Join([]string{
		"max_age: must not be negative, is -1ns",
		"max_bytes: must not be negative, is -2",
		"max_entries: must not be negative, is -3",
		"refresh_lease: must not be negative, is -4ns",
	}, "\n")
	if err == nil || err.Error() != want {
		t.Errorf("faults:\n%v\nwant:\n%s", err, want)
	}
	if _, err := NewStore[string, string](StoreConfig{}, nil); err != nil {
		t.Error(err)
	}
}
