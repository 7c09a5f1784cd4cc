package direct_test

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"
)

// caller is a context that can call at its end, and has no Done channel to wait for.
type caller struct {
	context.Context
	f       func()
	over    atomic.Bool
	stopped int
}

func (c *caller) Done() <-chan struct{} { panic("asked for Done") }

func (c *caller) Err() error {
	if c.over.Load() {
		return context.Canceled
	}
	return nil
}

func (c *caller) AfterFunc(f func()) (stop func() bool) {
	c.f = f
	return func() bool { c.stopped++; return !c.over.Load() }
}

// A context that can call is not asked for a Done channel. The call ends the
// request at once, and is taken back at the end of an answer.
func TestContextThatCalls(t *testing.T) {
	s := serve(t, func(c *peer, _ int) {
		for range 2 {
			c.next()
			c.say(ok)
		}
		c.next()
		c.say("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok")
		c.gone()
	})
	client := s.client()
	if _, _, err := s.get(client, "GET"); err != nil { // net asks for Done to dial
		t.Fatal(err)
	}
	first, second := &caller{Context: t.Context()}, &caller{Context: t.Context()}
	resp, err := client.RoundTrip(s.request(first, "GET"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(resp.Body); err != nil || first.stopped != 1 {
		t.Errorf("%v, and the call was taken back %d times", err, first.stopped)
	}
	if resp, err = client.RoundTrip(s.request(second, "GET")); err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, 2)); err != nil {
		t.Fatal(err)
	}
	second.over.Store(true)
	second.f()
	if _, err := resp.Body.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) || s.connections() != 1 {
		t.Errorf("%v on %d connections", err, s.connections())
	}
}
