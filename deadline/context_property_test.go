package deadline

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// twin is a context of ours and the standard library's for the same purpose.
type twin struct {
	name       string
	ours, want context.Context
	cancel     func()
	fired      [2]atomic.Int32 // AfterFuncs run: ours, wanted
}

var errParent = errors.New("parent's cause")

// Any sequence of operations on a tree of contexts must look the same whether
// its deadlines are ours or the standard library's.
func TestContextIsLikeTheStandardOne(t *testing.T) {
	steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		return step{rapid.SampledFrom(operations).Draw(t, "operation"), rapid.IntRange(0, 9).Draw(t, "context"), rapid.IntRange(0, 9).Draw(t, "amount")}
	}), 1, 25)
	rapid.Check(t, func(rt *rapid.T) {
		run := steps.Draw(rt, "steps")
		var fault string
		synctest.Test(t, func(*testing.T) { fault = play(run) })
		if fault != "" {
			rt.Fatal(fault)
		}
	})
}

type step struct {
	operation  string
	on, amount int
}

// Deriving and passing time are the more interesting, so they come more often.
var operations = []string{
	"deadline", "deadline", "deadline", "sleep", "sleep", "done", "err", "cause", "cancel",
	"child with cancel", "child with timeout", "child with value", "child without cancel", "after func",
}

func play(steps []step) (fault string) {
	base, end := context.WithCancelCause(context.WithValue(context.Background(), key(0), "base"))
	tree := []*twin{{name: "base", ours: base, want: base, cancel: func() { end(errParent) }}}
	defer func() {
		for _, tw := range tree {
			tw.cancel()
		}
	}()
	add := func(parent *twin, kind string, ours, want context.Context, cancel func()) {
		tree = append(tree, &twin{name: parent.name + " > " + kind, ours: ours, want: want, cancel: cancel})
	}
	for i, s := range steps {
		tw := tree[s.on%len(tree)]
		// Each deadline is an instant of its own: among equals the timers' order decides.
		after := time.Duration(s.amount)*10*time.Millisecond + time.Duration(i+1)*time.Microsecond
		switch s.operation {
		case "deadline":
			cause := fmt.Errorf("deadline of step %d", i)
			ours := WithTimeout(tw.ours, after, cause)
			want, cancel := context.WithTimeoutCause(tw.want, after, cause)
			add(tw, "deadline", ours, want, func() { ours.Cancel(); cancel() })
		case "sleep":
			time.Sleep(time.Duration(s.amount) * 10 * time.Millisecond)
			synctest.Wait()
		case "done":
			if got, want := done(tw.ours), done(tw.want); got != want {
				return fmt.Sprintf("step %d: %s: Done is %s, want %s", i, tw.name, got, want)
			}
		case "err":
			if fault := tw.compare(false); fault != "" {
				return fmt.Sprintf("step %d: %s", i, fault)
			}
		case "cause":
			synctest.Wait()
			if fault := tw.compare(true); fault != "" {
				return fmt.Sprintf("step %d: %s", i, fault)
			}
		case "cancel":
			for _, tw := range tree {
				_ = tw.ours.Err() // an unseen deadline would be overtaken
			}
			tw.cancel()
			synctest.Wait()
		case "child with cancel":
			ours, cancelOurs := context.WithCancel(tw.ours)
			want, cancel := context.WithCancel(tw.want)
			add(tw, "cancel", ours, want, func() { cancelOurs(); cancel() })
		case "child with timeout":
			ours, cancelOurs := context.WithTimeout(tw.ours, after)
			want, cancel := context.WithTimeout(tw.want, after)
			add(tw, "timeout", ours, want, func() { cancelOurs(); cancel() })
		case "child with value":
			add(tw, "value", context.WithValue(tw.ours, key(i), i), context.WithValue(tw.want, key(i), i), func() {})
		case "child without cancel":
			add(tw, "without cancel", context.WithoutCancel(tw.ours), context.WithoutCancel(tw.want), func() {})
		case "after func":
			context.AfterFunc(tw.ours, func() { tw.fired[0].Add(1) })
			context.AfterFunc(tw.want, func() { tw.fired[1].Add(1) })
		}
	}
	synctest.Wait()
	for _, tw := range tree {
		if fault := tw.compare(true); fault != "" {
			return "in the end: " + fault
		}
	}
	return ""
}

// compare reports how ours differs. Err and Cause come first: they must be
// right before Done has been asked for.
func (tw *twin) compare(all bool) string {
	if got, want := tw.ours.Err(), tw.want.Err(); got != want {
		return fmt.Sprintf("%s: Err is %v, want %v", tw.name, got, want)
	}
	if !all {
		return ""
	}
	if got, want := context.Cause(tw.ours), context.Cause(tw.want); got != want {
		return fmt.Sprintf("%s: Cause is %v, want %v", tw.name, got, want)
	}
	got, gotOK := tw.ours.Deadline()
	want, wantOK := tw.want.Deadline()
	if gotOK != wantOK || got.Sub(want).Abs() > 0 {
		return fmt.Sprintf("%s: Deadline is %v, %v, want %v, %v", tw.name, got, gotOK, want, wantOK)
	}
	for k := range key(26) {
		if got, want := tw.ours.Value(k), tw.want.Value(k); got != want {
			return fmt.Sprintf("%s: Value(%d) is %v, want %v", tw.name, k, got, want)
		}
	}
	if got, want := done(tw.ours), done(tw.want); got != want {
		return fmt.Sprintf("%s: Done is %s, want %s", tw.name, got, want)
	}
	if got, want := tw.fired[0].Load(), tw.fired[1].Load(); got != want {
		return fmt.Sprintf("%s: %d functions ran, want %d", tw.name, got, want)
	}
	return ""
}

func done(ctx context.Context) string {
	switch ch := ctx.Done(); {
	case ch == nil:
		return "nil"
	case isClosed(ch):
		return "closed"
	}
	return "open"
}
