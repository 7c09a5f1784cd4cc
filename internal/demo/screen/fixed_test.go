package screen

import (
	"time"

	"github.com/stanch-go/stanch/internal/demo"
)

// reportAt is a made-up incident, as far as it has come after so many seconds.
func reportAt(seconds int) demo.Report {
	r := demo.Report{
		Config: demo.Default(), Elapsed: time.Duration(seconds) * time.Second,
		Page: "http://127.0.0.1:40125/", Policy: "version: 1\ndependencies:\n  recommend: {class: standard}\n",
		Bare:    demo.Service{Live: 1006, Working: 6, P50: 32 * time.Millisecond, P99: 4900 * time.Millisecond, Calls: 1026, Peak: 20},
		Guarded: demo.Service{Live: 3341, Degraded: 659, Working: 6, P50: 31 * time.Millisecond, P99: 77 * time.Millisecond, Calls: 3351, Peak: 18, Breaker: "closed"},
	}
	for s := range seconds {
		bare, guarded := demo.Tick{Live: 200, P99: 33 * time.Millisecond}, demo.Tick{Live: 200, P99: 34 * time.Millisecond}
		switch {
		case s == 5:
			bare.Live, guarded = 6, demo.Tick{Live: 6, Degraded: 194, P99: 244 * time.Millisecond}
		case 5 < s && s < 10:
			bare = demo.Tick{}
		case s == 10 || s == 11:
			bare = demo.Tick{Live: 620, P99: 5 * time.Second}
		}
		switch s {
		case 6, 7:
			guarded = demo.Tick{Degraded: 200, P99: 6 * time.Millisecond}
		case 8:
			guarded = demo.Tick{Live: 130, Degraded: 70, P99: 40 * time.Millisecond}
		}
		r.Bare.Ticks = append(r.Bare.Ticks, bare)
		r.Guarded.Ticks = append(r.Guarded.Ticks, guarded)
	}
	switch {
	case 5 < seconds && seconds < 10:
		r.Bare.Quiet = r.Elapsed - 5*time.Second
		r.Bare.Silence = r.Bare.Quiet
		r.Bare.Working, r.Bare.Queued = 20, 200*(seconds-5)-20
	case seconds >= 10:
		r.Bare.Silence = 5 * time.Second
	}
	if 5 < seconds && seconds <= 8 {
		r.Guarded.Breaker, r.Guarded.Working = "open", 0
	}
	if seconds == 11 {
		r.Bare.Working, r.Bare.Queued = 20, 555
	}
	return r
}

func finished() demo.Report {
	r := reportAt(20)
	r.Bare.Live, r.Bare.Calls = 4000, 4000
	return r
}
