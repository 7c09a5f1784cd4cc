package demo

import (
	"slices"
	"testing"
	"time"
)

func TestBook(t *testing.T) {
	began := time.Unix(1000, 0)
	at := func(ms int) time.Time { return began.Add(time.Duration(ms) * time.Millisecond) }
	type visit struct {
		due, left int
		how       ending
	}
	tests := []struct {
		name    string
		visits  []visit
		now     int
		want    Service // without Ticks
		answers []int   // in each tick that is over
	}{
		{"nothing yet", nil, 0, Service{}, nil},
		{"nobody answers from the beginning", nil, 1500,
			Service{Silence: 1500 * time.Millisecond, Quiet: 1500 * time.Millisecond}, []int{0}},
		{"less than a tick is no silence", []visit{{0, 900, live}, {1000, 1890, degraded}}, 2800,
			Service{Live: 1, Degraded: 1, P50: 900 * time.Millisecond, P99: 900 * time.Millisecond, Quiet: 910 * time.Millisecond}, []int{1, 1}},
		{"silences add up, errors do not break them", []visit{{0, 1000, live}, {0, 1500, failed}, {0, 2000, gaveUp}, {0, 3000, live}}, 3500,
			Service{Live: 2, Failed: 1, GaveUp: 1, P50: 2 * time.Second, P99: 3 * time.Second, Silence: 3 * time.Second, Quiet: 500 * time.Millisecond}, []int{0, 1, 0}},
		{"answers after the load are in no tick", []visit{{0, 900, live}, {3900, 4010, live}}, 4000,
			Service{Live: 2, P50: 900 * time.Millisecond, P99: 900 * time.Millisecond, Silence: 3110 * time.Millisecond}, []int{1, 0, 0, 0}},
		{"in another order", []visit{{0, 500, live}, {0, 400, live}}, 1000,
			Service{Live: 2, P50: 500 * time.Millisecond, P99: 500 * time.Millisecond, Quiet: 500 * time.Millisecond}, []int{2}},
		{"who still waits has waited", []visit{{0, 900, waiting}}, 950,
			Service{Waiting: 1, P50: 900 * time.Millisecond, P99: 900 * time.Millisecond, Quiet: 950 * time.Millisecond}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBook(Config{Duration: 4 * time.Second, Tick: time.Second}, began)
			for _, v := range tt.visits {
				b.came()
				b.left(at(v.left), v.how, at(v.due))
			}
			var got Service
			b.tell(&got, at(tt.now))
			var answers []int
			for _, tick := range got.Ticks {
				answers = append(answers, tick.Answered())
			}
			got.Ticks = nil
			if !slices.Equal(answers, tt.answers) {
				t.Errorf("answers %v, want %v", answers, tt.answers)
			}
			if got.P50 != tt.want.P50 || got.P99 != tt.want.P99 || got.Silence != tt.want.Silence || got.Quiet != tt.want.Quiet ||
				got.Live != tt.want.Live || got.Degraded != tt.want.Degraded || got.Failed != tt.want.Failed ||
				got.GaveUp != tt.want.GaveUp || got.Waiting != tt.want.Waiting {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestBookCountsWhoIsHere(t *testing.T) {
	b := newBook(Config{Duration: time.Second, Tick: time.Second}, time.Unix(0, 0))
	b.came()
	b.came()
	b.left(time.Unix(0, 1), live, time.Unix(0, 0))
	var s Service
	b.tell(&s, time.Unix(0, 2))
	if s.Waiting != 1 {
		t.Errorf("%d wait, want 1", s.Waiting)
	}
}

func TestServed(t *testing.T) {
	for _, tt := range []struct {
		s    Service
		want bool
	}{
		{Service{Live: 1}, true},
		{Service{Degraded: 1}, true},
		{Service{}, false},
		{Service{Live: 1, Silence: 1}, false},
		{Service{Live: 1, Failed: 1}, false},
		{Service{Live: 1, GaveUp: 1}, false},
		{Service{Live: 1, Waiting: 1}, false},
	} {
		if got := tt.s.Served(); got != tt.want {
			t.Errorf("%+v: %v, want %v", tt.s, got, tt.want)
		}
	}
}
