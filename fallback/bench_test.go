package fallback

import (
	"context"
	"testing"
)

func BenchmarkTry(b *testing.B) {
	g, _ := NewGate(Limits{}, nil)
	s, _ := NewStore[int, string](StoreConfig{}, nil)
	s.Put(1, "v")
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Try(ctx, g, errDown, Or("stale", s.Get(1)), Static("static", "v")); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkInside(b *testing.B) {
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), Limits{}, nil))
	defer cancel()
	b.ReportAllocs()
	for b.Loop() {
		Inside(ctx)
	}
}

func BenchmarkStoreLookup(b *testing.B) {
	s, _ := NewStore[int, string](StoreConfig{}, nil)
	for i := range 1000 {
		s.PutAt(0, i, "v")
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.LookupAt(0, i%1000)
	}
}

func BenchmarkStorePut(b *testing.B) {
	s, _ := NewStore[int, []string](StoreConfig{MaxEntries: 1000}, nil)
	v := []string{"one", "two", "three", "four", "five", "six"}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.PutAt(0, i, v)
	}
}

func BenchmarkValueLoad(b *testing.B) {
	v, _ := NewValue(ValueConfig{}, always("v"))
	ctx := context.Background()
	v.Refresh(ctx)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := v.Load(ctx); err != nil {
			b.Fatal(err)
		}
	}
}
