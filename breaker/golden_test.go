package breaker

import (
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/golden"
	"github.com/stanch-go/stanch/outcome"
)

// incident is calls at an even rate to a dependency that is sick for a while.
type incident struct {
	rate, seconds          int64 // calls a second, and for how long
	sickFrom, sickTo       int64 // ms
	sickTakes, healthTakes int64 // ms; a sick call fails
}

var (
	cascade = incident{50, 3, 500, 1500, 150, 5}
	longDip = incident{150, 10, 1000, 6000, 150, 30}
)

// play runs the incident and draws it: a line a stretch of time, with the
// state and the fate of each call.
func (in incident) play(t *testing.T, cfg Config) string {
	var moves []Transition
	b, err := New(cfg, Options{OnTransition: func(m Transition) { moves = append(moves, m) }})
	if err != nil {
		t.Fatal(err)
	}
	type end struct {
		at   int64
		p    Permit
		o    outcome.Outcome
		took time.Duration
	}
	var flying []end
	finish := func(now int64) {
		for len(flying) > 0 && flying[0].at <= now {
			e := flying[0]
			flying = flying[1:]
			b.DoneAt(e.at, e.p, e.o, e.took)
		}
	}
	var states, fates []byte
	count := map[byte]int{}
	total := in.rate * in.seconds
	for i := range total {
		now := i * int64(time.Second) / in.rate
		finish(now)
		fate := byte('.')
		if p, ok := b.AllowAt(now); ok {
			e := end{now + in.healthTakes*ms, p, outcome.Success, 0}
			fate = '+'
			if now >= in.sickFrom*ms && now < in.sickTo*ms {
				e.at, e.o = now+in.sickTakes*ms, outcome.Failure
				fate = 'x'
			}
			at := sort.Search(len(flying), func(i int) bool { return flying[i].at > e.at })
			flying = append(flying[:at], append([]end{e}, flying[at:]...)...)
		}
		count[fate]++
		fates = append(fates, fate)
		state := map[State]byte{Closed: '-', Open: 'O', HalfOpen: 'h'}[b.StateAt(now)]
		if state == '-' && b.ramp.running(now) {
			state = 'r'
		}
		states = append(states, state)
	}
	finish(1 << 62)

	var s strings.Builder
	perLine := in.rate / 2
	for i := int64(0); i < total; i += perLine {
		fmt.Fprintf(&s, "%4.1fs  %s\n       %s\n", float64(i)/float64(in.rate), states[i:i+perLine], fates[i:i+perLine])
	}
	fmt.Fprintf(&s, "succeeded %d, failed %d, refused %d\n", count['+'], count['x'], count['.'])
	for _, m := range moves {
		fmt.Fprintf(&s, "%7.3fs  %s (%s)\n", time.Duration(m.At).Seconds(), m.To, m.Reason)
	}
	return s.String()
}

// The pictures of two incidents, each with a plain breaker and with a trickle.
// States: - closed, r closed and on the ramp, O open, h half-open. Calls: + succeeded, x failed, . refused.
func TestPictures(t *testing.T) {
	cascadeTrickle := Trickle{First: 80 * time.Millisecond, Factor: 1, Overlap: 2}
	dipTrickle := Trickle{First: 80 * time.Millisecond, Factor: 1, Overlap: 3}
	for _, tt := range []struct {
		file     string
		incident incident
		cfg      Config
	}{
		{"cascade-plain", cascade, Config{Consecutive: 5, Cooldown: 500 * time.Millisecond, Probes: 1}},
		{"cascade-trickle", cascade, Config{Consecutive: 5, Cooldown: 2 * time.Second, Trickle: cascadeTrickle}},
		{"dip-plain", longDip, Config{Window: time.Second, Cooldown: time.Second}},
		{"dip-trickle", longDip, Config{
			Window: time.Second, Consecutive: 5, ConsecutiveSpan: 25 * time.Millisecond, Cooldown: 10 * time.Second,
			Trickle: dipTrickle, Ramp: 200 * time.Millisecond, RampFrom: 0.3,
		}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			path := "testdata/" + tt.file + ".txt"
			got := tt.incident.play(t, tt.cfg)
			golden.Check(t, path, got)
		})
	}
}
