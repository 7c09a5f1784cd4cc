package history

import (
	"math"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/policy"
	"github.com/stanch-go/stanch/proxy"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// shop is the state of a dependency after so many calls of each kind.
func shop(ok, stale, failed uint64) proxy.DependencyStatus {
	d := proxy.DependencyStatus{
		Name: "shop", Breaker: "closed",
		Calls:    map[string]uint64{"ok": ok, "error": stale + failed},
		Degraded: map[string]uint64{"last_good": stale},
		Refused:  map[string]uint64{"breaker_open": failed},
	}
	d.Latency.Buckets[3] = ok             // 5 to 10 ms
	d.Latency.Buckets[8] = stale + failed // 250 to 500 ms
	return d
}

func status(after time.Duration, d ...proxy.DependencyStatus) proxy.Status {
	return proxy.Status{At: noon.Add(after), Dependencies: d}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 && !(math.IsNaN(got) && math.IsNaN(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestRates(t *testing.T) {
	h := New()
	h.Add(status(0, shop(1000, 0, 0)), nil) // what was before counts for nothing
	h.Add(status(time.Second, shop(1100, 0, 0)), nil)
	h.Add(status(2*time.Second, shop(1100, 30, 10)), nil)

	now := h.Now("shop")
	near(t, "rate", now.Rate, 70)
	near(t, "live", now.Live, 100.0/140)
	near(t, "degraded", now.Degraded, 30.0/140)
	near(t, "p50", now.P50, 5+5*0.7)
	near(t, "p99", now.P99, 250+250*(138.6-100)/40)

	s := h.Read("shop")
	if s.Span != time.Minute || len(s.P50) != 60 {
		t.Fatalf("%v in %d columns", s.Span, len(s.P50))
	}
	near(t, "live a second ago", s.Answers[0][58], 100)
	near(t, "live", s.Answers[0][59], 0)
	near(t, "last_good", s.Answers[1][59], 30)
	near(t, "none", s.Answers[5][59], 10)
	near(t, "breaker_open", s.Refused[0][59], 10)
	near(t, "before the beginning", s.Answers[0][57], 0)
	near(t, "p50 before the beginning", s.P50[57], math.NaN())
	near(t, "in flight before the beginning", s.InFlight[57], math.NaN())
	near(t, "in flight", s.InFlight[59], 0)
	if want := []Stretch{{58 * time.Second, time.Minute, "closed"}}; !slices.Equal(s.States, want) {
		t.Errorf("states are %v, want %v", s.States, want)
	}
}

// A breaker that opens and closes again within a second is seen.
func TestShortOpeningIsSeen(t *testing.T) {
	h := New()
	for i := range 5 {
		var events []proxy.Event
		if i == 3 {
			events = []proxy.Event{
				{Kind: proxy.KindTransition, Dependency: "shop", To: "open"},
				{Kind: proxy.KindTransition, Dependency: "shop", To: "closed"},
				{Kind: proxy.KindTransition, Dependency: "other", To: "forced-open"},
			}
		}
		local := proxy.DependencyStatus{Name: "shop", Local: true}
		h.Add(status(time.Duration(i)*time.Second, shop(0, 0, 0), local), events)
	}
	want := []Stretch{{56 * time.Second, 58 * time.Second, "closed"}, {58 * time.Second, 59 * time.Second, "open"}, {59 * time.Second, time.Minute, "closed"}}
	if got := h.Read("shop").States; !slices.Equal(got, want) {
		t.Errorf("states are %v, want %v", got, want)
	}
	if got := h.Read("ingress:shop").States; len(got) != 0 {
		t.Errorf("the service of the same name has a breaker: %v", got)
	}
}

func TestFaults(t *testing.T) {
	h := New()
	for i := range 6 {
		d := shop(0, 0, 0)
		if i == 3 || i == 4 {
			d.Fault = &proxy.Fault{}
		}
		h.Add(status(time.Duration(i)*time.Second, d), nil)
	}
	want := []Stretch{{57 * time.Second, 59 * time.Second, "fault"}}
	if got := h.Read("shop").Faults; !slices.Equal(got, want) {
		t.Errorf("faults are %v, want %v", got, want)
	}
}

// The time that is shown grows with what is known, and columns get wider.
func TestSpans(t *testing.T) {
	for _, c := range []struct {
		seconds int
		span    time.Duration
		columns int
	}{{0, time.Minute, 60}, {60, time.Minute, 60}, {61, 2 * time.Minute, 60}, {121, 5 * time.Minute, 60}, {301, 10 * time.Minute, 120}, {2000, 10 * time.Minute, 120}} {
		h := New()
		for i := range c.seconds + 1 {
			h.Add(status(time.Duration(i)*time.Second, shop(uint64(i)*7, 0, 0)), nil)
		}
		s := h.Read("shop")
		if s.Span != c.span || len(s.Answers[0]) != c.columns {
			t.Errorf("after %d s: %v in %d columns", c.seconds, s.Span, len(s.Answers[0]))
		}
		if c.seconds > 0 {
			near(t, "the rate of a column, also one that has just begun", s.Answers[0][c.columns-1], 7)
		}
	}
}

// Time that stands still or goes back is harmless, and a gap is a gap.
func TestTime(t *testing.T) {
	h := New()
	h.Add(status(0, shop(0, 0, 0)), nil)
	h.Add(status(time.Second, shop(1, 0, 0)), nil)
	h.Add(status(time.Second+1, shop(2, 0, 0)), nil)
	h.Add(status(-time.Hour, shop(3, 0, 0)), nil)
	h.Add(status(4*time.Second, shop(10, 0, 0)), nil)
	s := h.Read("shop")
	for i, want := range []float64{1, math.NaN(), math.NaN(), 9} {
		got := s.Answers[0][56+i]
		if math.IsNaN(s.InFlight[56+i]) {
			got = math.NaN()
		}
		near(t, "rate", got, want)
	}
	h.Add(status(4000*time.Second, shop(11, 0, 0)), nil)
	if s := h.Read("shop"); len(s.States) != 1 {
		t.Errorf("what is long ago is still shown: %v", s.States)
	}
}

// What is no longer in the policy is forgotten, and begins anew when it is there
// again.
func TestForgets(t *testing.T) {
	h := New()
	h.Add(status(0, shop(0, 0, 0)), nil)
	h.Add(status(time.Second, shop(50, 0, 0)), nil)
	h.Add(status(2*time.Second), nil)
	if n := len(h.by); n != 0 {
		t.Fatalf("%d dependencies are kept", n)
	}
	h.Add(status(3*time.Second, shop(80, 0, 0)), nil)
	h.Add(status(4*time.Second, shop(90, 0, 0)), nil)
	near(t, "rate", h.Now("shop").Rate, 10)
	near(t, "share of nothing", h.Now("none").Live, math.NaN())
	h.Read("none")
}

// A count that falls, which none does, is no rush of four billion.
func TestCountsThatFall(t *testing.T) {
	h := New()
	h.Add(status(0, shop(100, 5, 5)), nil)
	h.Add(status(time.Second, shop(1, 0, 0)), nil)
	near(t, "rate", h.Now("shop").Rate, 0)
	h.Add(status(2*time.Second, shop(math.MaxUint64, 0, 0)), nil)
	near(t, "rate", h.Now("shop").Rate, math.MaxUint32/2.0)
}

func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		buckets map[int]float64
		q, want float64
	}{
		{nil, 0.5, math.NaN()},
		{map[int]float64{0: 10}, 0.5, 0.5},
		{map[int]float64{0: 1}, 0.99, 0.99},
		{map[int]float64{5: 1, 9: 1}, 0.5, 50},
		{map[int]float64{14: 3}, 0.5, 30000},
		{map[int]float64{0: 1, 14: 99}, 0.99, 30000},
		{map[int]float64{13: 2}, 1, 30000},
	} {
		buckets := make([]float64, len(proxy.Bounds)+1)
		for i, n := range c.buckets {
			buckets[i] = n
		}
		near(t, "quantile", quantile(buckets, c.q), c.want)
	}
}

// The package says how much memory it takes.
func TestSize(t *testing.T) {
	if n := unsafe.Sizeof(sample{}); n != 128 {
		t.Errorf("a sample has %d bytes: say so in the package's documentation and in docs/admin.md", n)
	}
}

// What the sidecar counts is what is remembered: a new result, source or reason
// must not be left out here.
func TestNamesAreThoseOfTheSidecar(t *testing.T) {
	p, err := policy.Parse("p.yaml", []byte("version: 1\nlisten: {egress: \"127.0.0.1:0\"}\ndependencies: {shop: {url: \"http://127.0.0.1:9\"}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	px, err := proxy.New(p, proxy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer px.Drain(t.Context())
	d := px.Status().Dependencies[0]
	for source := range d.Degraded {
		if !slices.Contains(Sources, source) {
			t.Errorf("source %s is not remembered", source)
		}
	}
	for reason := range d.Refused {
		if !slices.Contains(Reasons, reason) {
			t.Errorf("reason %s is not remembered", reason)
		}
	}
	for _, answer := range []string{stanch.ResultOK.String(), stanch.ResultAnswer.String()} {
		if _, ok := d.Calls[answer]; !ok {
			t.Errorf("there is no result %s", answer)
		}
	}
	if len(d.Degraded) != len(Sources)-2 || len(d.Refused) != len(Reasons) {
		t.Error("something is remembered that there is not")
	}
}
