package proxy

import (
	"errors"
	"net"
	"testing"
	"time"
)

// Whoever was connected while nobody accepted is served, even if the time for
// that was over before anybody came to look.
func TestStoppedListenerAcceptsWhatWaits(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := newBounded(l, 10)
	b.stop()
	<-time.After(2 * backlog)
	for range 3 {
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	for n := range 3 {
		conn, err := b.Accept()
		if err != nil {
			t.Fatalf("connection %d: %v", n, err)
		}
		conn.Close()
	}
	if _, err := b.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("after the last: %v", err)
	}
	if n := b.open(); n != 0 {
		t.Errorf("%d are open", n)
	}
}
