package proxy

import (
	"fmt"
	"testing"
)

func TestEventsKeepTheLast(t *testing.T) {
	e := newEvents()
	if got := e.Since(0); len(got) != 0 {
		t.Errorf("%d events of nothing", len(got))
	}
	for i := range history + 10 {
		e.add(Event{Text: fmt.Sprint(i + 1)})
	}
	for _, tt := range []struct{ after, first, count uint64 }{{0, 11, history}, {10, 11, history}, {11, 12, history - 1}, {history + 9, history + 10, 1}, {history + 10, 0, 0}, {1 << 60, 0, 0}} {
		got := e.Since(tt.after)
		if uint64(len(got)) != tt.count || tt.count > 0 && got[0].Number != tt.first {
			t.Errorf("after %d: %d events", tt.after, len(got))
		}
		for i, ev := range got {
			if ev.Text != fmt.Sprint(ev.Number) || ev.Number != tt.first+uint64(i) {
				t.Fatalf("event %d is %+v", i, ev)
			}
		}
	}
}

// Who does not listen holds up nobody, and sees the gap.
func TestSlowListener(t *testing.T) {
	e := newEvents()
	events, end := e.Listen()
	for range 100 {
		e.add(Event{})
	}
	for i := range cap(events) {
		if ev := <-events; ev.Number != uint64(i+1) {
			t.Fatalf("event %d is number %d", i, ev.Number)
		}
	}
	e.add(Event{})
	if ev := <-events; ev.Number != 101 {
		t.Errorf("after a gap: number %d", ev.Number)
	}
	end()
	e.add(Event{})
	select {
	case ev := <-events:
		t.Errorf("after the end: %+v", ev)
	default:
	}
}
