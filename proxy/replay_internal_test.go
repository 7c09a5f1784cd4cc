package proxy

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

func from(r io.Reader, limit int) *replay {
	return newReplay(source{Reader: r, within: func() {}, over: func() {}, stop: func() bool { return false }}, limit)
}

// Every reader gets the body from its beginning, whole or with an error; what it
// got is never anything else; and as long as no more than the limit's worth has
// come, read or not, it may begin again.
func TestReplayProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := bytes.Repeat([]byte("0123456789abcdef"), rapid.IntRange(0, 10_000).Draw(t, "length"))
		limit := rapid.IntRange(0, 200_000).Draw(t, "limit")
		b := from(iotest.HalfReader(bytes.NewReader(body)), limit)
		for range rapid.IntRange(1, 5).Draw(t, "attempts") {
			r, err := b.again()
			if err != nil {
				if came := b.off + len(b.have); came <= limit {
					t.Fatalf("%d of %d have come, limit %d: %v", came, len(body), limit, err)
				}
				return
			}
			got := make([]byte, rapid.IntRange(0, len(body)+10).Draw(t, "read"))
			n, err := io.ReadFull(r, got)
			if !bytes.Equal(got[:n], body[:n]) {
				t.Fatal("another body")
			}
			if err != nil && err != io.ErrUnexpectedEOF && (err != io.EOF || n > 0) {
				t.Fatalf("%d read: %v", n, err)
			}
			if err != nil && n != len(body) {
				t.Fatalf("it ended at %d of %d", n, len(body))
			}
			if rapid.Bool().Draw(t, "close") {
				r.Close()
			}
			if len(b.have) > limit+2*bufferSize {
				t.Fatalf("%d bytes are kept, limit %d", len(b.have), limit)
			}
		}
	})
}

// What was read with the last byte of the limit's worth is beyond it: the property
// above once took it for a fault.
func TestReplayKnowsWhatCameBesides(t *testing.T) {
	for limit, again := range map[int]bool{9: false, 10: true} {
		b := from(io.MultiReader(strings.NewReader("01234"), strings.NewReader("56789")), limit)
		r, _ := b.again()
		if n, err := io.ReadFull(r, make([]byte, 9)); n != 9 || err != nil {
			t.Fatal(n, err)
		}
		if _, err := b.again(); (err == nil) != again {
			t.Errorf("limit %d of 10 that came, 9 read: %v", limit, err)
		}
	}
}

// A reader that waits for the client ends with its attempt, and what the client
// sends then is the next one's. A transport once waited for the client of an
// attempt that was long over.
func TestReaderEndsWhileTheClientIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pr, pw := io.Pipe()
		b := from(pr, 100)
		first, _ := b.again()
		ended := make(chan error)
		go func() {
			_, err := first.Read(make([]byte, 10))
			ended <- err
		}()
		synctest.Wait()
		if _, waiting := b.fault(false); !waiting {
			t.Error("nobody waits for the client")
		}
		second, err := b.again()
		if err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err == nil {
			t.Error("the first reader got something")
		}
		go func() {
			time.Sleep(time.Second) // virtual
			io.WriteString(pw, "late")
			pw.Close()
		}()
		if got, err := io.ReadAll(second); string(got) != "late" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
		if _, err := first.Read(make([]byte, 1)); err == nil {
			t.Error("the first reader reads on")
		}
		b.Close()
	})
}

func TestReplayTellsWhoseFaultItIs(t *testing.T) {
	broken := errors.New("broken")
	b := from(io.MultiReader(bytes.NewReader([]byte("ab")), iotest.ErrReader(broken)), 100)
	r, _ := b.again()
	if got, err := io.ReadAll(r); string(got) != "ab" || err != broken {
		t.Errorf("got %q, %v", got, err)
	}
	if fault, waiting := b.fault(false); fault != broken || waiting {
		t.Errorf("fault %v, waiting %v", fault, waiting)
	}
	if r.(*reader).Rewinds() {
		t.Error("what is broken can be sent again")
	}
}
