package fallback

import (
	"context"
	"sync/atomic"
	"time"
)

// Enter marks ctx as that of the alternative with this name while it runs.
// Chain and Try do it for every alternative. It costs one small allocation.
func Enter(ctx context.Context, name string) context.Context {
	return &mark{Context: ctx, name: name}
}

// Inside returns the name of the alternative inside which ctx is used, and
// whether it is inside one. A guarded call asks it, and refuses when it is.
func Inside(ctx context.Context) (name string, ok bool) {
	if m, ok := ctx.Value(markKey{}).(*mark); ok {
		return m.name, true
	}
	return "", false
}

// ReportAge tells how old the value is that a loader is about to return; it
// becomes the Age of the answer. A loader calls it with the context that it
// was given. Outside an alternative it does nothing; the last call counts.
func ReportAge(ctx context.Context, age time.Duration) {
	if m, ok := ctx.Value(markKey{}).(*mark); ok {
		m.age.Store(int64(max(age, 0)))
	}
}

type markKey struct{}

// A mark is found through every context derived from it, which is how a
// loader's answer finds its age without another signature for loaders.
type mark struct {
	context.Context
	name string
	age  atomic.Int64 // nanoseconds
}

func (m *mark) Value(key any) any {
	if _, ok := key.(markKey); ok {
		return m
	}
	return m.Context.Value(key)
}

// AfterFunc passes the registration on to the context underneath. Without it,
// package context would start a goroutine for every child of a mark over a
// context that is not its own.
func (m *mark) AfterFunc(f func()) (stop func() bool) {
	return context.AfterFunc(m.Context, f)
}
