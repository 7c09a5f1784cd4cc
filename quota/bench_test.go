package quota

import (
	"strconv"
	"testing"
)

func spending(t testing.TB, keys int) (*Leased, []string) {
	q := must(NewLeased(Config{Mode: ModeLeased, Rate: 1e9}, NewMemory(0), Options{}))
	names := make([]string, keys)
	for i := range names {
		names[i] = "tenant-" + strconv.Itoa(i)
		x, ok := q.AskAt(0, names[i], 1)
		if !ok {
			t.Fatal("does not ask")
		}
		q.GrantedAt(0, x, Grant{Granted: 1e12})
	}
	return q, names
}

func TestNothingIsAllocated(t *testing.T) {
	q, names := spending(t, 1)
	e := must(NewEmbedded(Config{Rate: 1e9}))
	refusing := must(NewEmbedded(Config{Rate: 1e-9}))
	refusing.AllowAt(0, "k", 1)
	for name, f := range map[string]func(){
		"leased, a slice":   func() { q.AllowAt(1, names[0], 1) },
		"leased, refused":   func() { q.AllowAt(1, names[0], 2e9) },
		"embedded":          func() { e.AllowAt(1, "k", 1) },
		"embedded, refused": func() { refusing.AllowAt(1, "k", 1) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func BenchmarkLeased(b *testing.B) {
	for _, keys := range []int{1, 10_000} {
		b.Run(strconv.Itoa(keys), func(b *testing.B) {
			q, names := spending(b, keys)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				q.AllowAt(1, names[i%keys], 1)
			}
		})
	}
}

func BenchmarkLeasedParallel(b *testing.B) {
	q, names := spending(b, 1000)
	b.ReportAllocs()
	b.RunParallel(func(p *testing.PB) {
		for i := 0; p.Next(); i++ {
			q.AllowAt(1, names[i%len(names)], 1)
		}
	})
}

func BenchmarkEmbedded(b *testing.B) {
	e := must(NewEmbedded(Config{Rate: 1e9}))
	b.ReportAllocs()
	for i := int64(0); b.Loop(); i++ {
		e.AllowAt(i, "k", 1)
	}
}

// BenchmarkFleet plays fifty instances for a second of virtual time.
func BenchmarkFleet(b *testing.B) {
	for b.Loop() {
		f := newFleet(b, leasedConfig(nil), skewed(50, 20_000))
		f.run(second)
	}
}
