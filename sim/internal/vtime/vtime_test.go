package vtime

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stanch-go/stanch/internal/clock"
)

// task and body are functions as what the scheduler runs.
type task func()

func (f task) Fire() { f() }

type body func()

func (f body) Run() { f() }

// diary is what processes write down, with the instant.
type diary struct {
	s     *Scheduler
	lines []string
}

func newDiary() *diary { return &diary{s: new(Scheduler)} }

func (d *diary) write(format string, args ...any) {
	d.lines = append(d.lines, fmt.Sprintf("%d ", d.s.Now())+fmt.Sprintf(format, args...))
}

func (d *diary) expect(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(d.lines, want) {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(d.lines, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// sleep and wait are a process's waits, in short.
func (d *diary) sleep(for_ int64) { d.s.Clock().Sleep(context.Background(), d.s.Now()+for_) }

// What happens at one instant happens in the order in which it was asked for,
// whatever it is.
func TestOrderAtOneInstant(t *testing.T) {
	d := newDiary()
	d.s.At(5, task(func() { d.write("task 1") }))
	for i := range 3 {
		d.s.Go(body(func() {
			d.write("process %d", i)
			d.sleep(5)
			d.write("process %d slept", i)
		}))
	}
	d.s.At(5, task(func() {
		d.write("task 2")
		d.s.At(5, task(func() { d.write("task 4") }))
		d.s.At(3, task(func() { d.write("what is past is now") }))
		d.s.Go(body(func() { d.write("process 3") }))
	}))
	d.s.At(4, task(func() {
		d.write("task 0")
		d.s.At(5, task(func() { d.write("task 3") }))
	}))
	d.s.Run(clock.Never, nil)
	d.expect(t,
		"0 process 0", "0 process 1", "0 process 2",
		"4 task 0",
		"5 task 1", "5 task 2", "5 process 0 slept", "5 process 1 slept", "5 process 2 slept", "5 task 3", "5 task 4", "5 what is past is now", "5 process 3",
	)
}

// The heap gives events back by instant and then by order, as a stable sort does.
func TestHeapIsAStableSort(t *testing.T) {
	s := new(Scheduler)
	var want [][2]int
	x := uint32(1)
	var got [][2]int
	for i := range 5000 {
		x = x*1664525 + 1013904223
		at := int(x >> 26)
		want = append(want, [2]int{at, i})
		s.At(int64(at), task(func() { got = append(got, [2]int{at, i}) }))
	}
	slices.SortStableFunc(want, func(a, b [2]int) int { return a[0] - b[0] })
	s.Run(clock.Never, nil)
	if !slices.Equal(got, want) {
		t.Error("events came in another order")
	}
	if !s.Idle() {
		t.Error("something is left")
	}
}

func TestRunUntil(t *testing.T) {
	d := newDiary()
	for _, at := range []int64{10, 20, 30} {
		d.s.At(at, task(func() { d.write("task") }))
	}
	if at, ok := d.s.Next(); at != 10 || !ok {
		t.Errorf("next is at %d, %v", at, ok)
	}
	d.s.Run(20, nil)
	d.expect(t, "10 task", "20 task")
	if at, ok := d.s.Next(); at != 30 || !ok || d.s.Idle() {
		t.Errorf("next is at %d, %v", at, ok)
	}
	d.s.Run(25, nil)
	d.s.Run(clock.Never, nil)
	if _, ok := d.s.Next(); ok || d.s.Now() != 30 || !d.s.Idle() {
		t.Errorf("something is left at %d", d.s.Now())
	}
}

func TestHalt(t *testing.T) {
	s := new(Scheduler)
	n := 0
	var again task
	again = func() { n++; s.At(s.Now()+1, again) }
	s.At(0, again)
	s.Run(clock.Never, func() bool { return n >= 2000 })
	if n < 2000 || n > 2000+1024 {
		t.Errorf("halted after %d events", n)
	}
	s.Run(clock.Never, func() bool { return true })
	if n > 2000+1024 {
		t.Errorf("a halted run goes on to %d", n)
	}
}

// Many thousand processes use the coroutines of those that have ended.
func TestProcessesAreReused(t *testing.T) {
	s := new(Scheduler)
	ended := 0
	for i := range 10_000 {
		s.At(int64(i), task(func() {
			s.Go(body(func() {
				s.Clock().Sleep(context.Background(), s.Now()+3)
				ended++
			}))
		}))
	}
	s.Run(clock.Never, nil)
	if ended != 10_000 || len(s.all) > 5 {
		t.Errorf("%d ended, on %d coroutines", ended, len(s.all))
	}
	s.Close()
}

// A panic of a process is one of Run, with the same value.
func TestPanicPassesOn(t *testing.T) {
	d := newDiary()
	d.s.Go(body(func() {
		defer d.write("deferred")
		d.sleep(5)
		panic("broken")
	}))
	d.s.At(9, task(func() { d.write("not reached") }))
	func() {
		defer func() {
			if r := recover(); r != "broken" {
				t.Errorf("recovered %v", r)
			}
		}()
		d.s.Run(clock.Never, nil)
	}()
	d.expect(t, "5 deferred")
	d.s.Close()
}

// Close takes processes that wait down their stacks: what they deferred runs,
// also if it waits or panics itself.
func TestCloseUnwinds(t *testing.T) {
	d := newDiary()
	d.s.Go(body(func() {
		defer d.write("outer")
		defer func() {
			defer d.write("inner")
			d.sleep(1) // cannot: it is unwound as well
			d.write("not reached")
		}()
		d.sleep(100)
		d.write("not reached")
	}))
	d.s.Go(body(func() {
		defer func() { recover() }() // does not keep it alive
		d.s.Clock().NewWaiter().Wait(context.Background(), clock.Never)
	}))
	d.s.Go(body(func() { d.write("ended") }))
	d.s.Run(10, nil)
	d.s.Go(body(func() { d.write("never begun") }))
	d.s.Close()
	d.expect(t, "0 ended", "0 inner", "0 outer")
	if !d.s.Idle() {
		t.Error("something is left")
	}
}
