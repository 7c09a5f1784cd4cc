package screen

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stanch-go/stanch/internal/demo"
)

// brief is an incident of a second and a half.
func brief() demo.Config {
	c := demo.Default()
	c.Duration, c.Tick, c.Rate = 1500*time.Millisecond, 250*time.Millisecond, 100
	c.StallAt, c.Stall, c.Slow = 250*time.Millisecond, 250*time.Millisecond, 700*time.Millisecond
	return c
}

func TestPlain(t *testing.T) {
	var out bytes.Buffer
	r, err := Plain(t.Context(), brief(), &out)
	if err != nil {
		t.Fatal(err)
	}
	if r.Early || r.Bare.Live == 0 {
		t.Errorf("early %v, %d answers", r.Early, r.Bare.Live)
	}
	var ticks, events []string
	for line := range strings.Lines(out.String()) {
		switch text := strings.TrimSpace(line); {
		case strings.HasPrefix(text, "-- "):
			events = append(events, text)
		case text != "" && '0' <= text[0] && text[0] <= '9':
			ticks = append(ticks, text)
		}
	}
	if len(ticks) != 6 {
		t.Errorf("%d lines, want one for each of 6 ticks:\n%s", len(ticks), &out)
	}
	want := []string{
		"-- the dependency is well: a call takes 30ms",
		"-- the dependency stalls: every call takes 700ms",
		"-- the dependency is well again: a call takes 30ms",
	}
	if page := "page, in a browser: " + r.Page + "\n"; r.Page == "" || !strings.Contains(out.String(), page) {
		t.Errorf("no %q in\n%s", page, &out)
	}
	if strings.Join(events, "\n") != strings.Join(want, "\n") {
		t.Errorf("events %q", events)
	}
}

type closed struct{}

var errClosed = errors.New("closed")

func (closed) Write([]byte) (int, error) { return 0, errClosed }

func TestPlainReportsWriteErrors(t *testing.T) {
	if _, err := Plain(t.Context(), brief(), closed{}); !errors.Is(err, errClosed) {
		t.Errorf("got %v", err)
	}
}

func TestLive(t *testing.T) {
	keys, typed := io.Pipe()
	defer typed.Close()
	var out bytes.Buffer
	r, err := Live(t.Context(), brief(), keys, &out, false)
	if err != nil {
		t.Fatal(err)
	}
	if r.Early || r.Guarded.Live == 0 {
		t.Errorf("early %v, %d answers", r.Early, r.Guarded.Live)
	}
	for _, want := range []string{"bare", "guarded", "the dependency stalls", "in a browser: http://127.0.0.1:"} {
		if !strings.Contains(ansi.Strip(out.String()), want) {
			t.Errorf("%q was not shown", want)
		}
	}
}

func TestLiveEndsWithAKey(t *testing.T) {
	keys, typed := io.Pipe()
	defer typed.Close()
	go func() { _, _ = typed.Write([]byte("q")) }()
	c := brief()
	c.Duration = time.Minute
	r, err := Live(t.Context(), c, keys, io.Discard, false)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Early {
		t.Error("it was not ended early")
	}
}

// Held, it ends with a key, and is not early for that.
func TestHeld(t *testing.T) {
	c := brief()
	c.Hold, c.Duration, c.StallAt = true, 250*time.Millisecond, time.Minute
	keys, typed := io.Pipe()
	defer typed.Close()
	shown := &waitFor{text: "set a fault on the page", then: func() { _, _ = typed.Write([]byte("q")) }}
	r, err := Live(t.Context(), c, keys, shown, false)
	if err != nil || r.Early || !r.Held {
		t.Errorf("early %v, held %v, %v", r.Early, r.Held, err)
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	if r, err = Plain(ctx, c, &waitFor{text: "until Ctrl-C", then: end}); err != nil || r.Early || !r.Held {
		t.Errorf("plain: early %v, held %v, %v", r.Early, r.Held, err)
	}
}

// waitFor does something once a text has been written.
type waitFor struct {
	text    string
	then    func()
	written strings.Builder
	once    sync.Once
}

func (w *waitFor) Write(b []byte) (int, error) {
	w.written.Write(b)
	if strings.Contains(ansi.Strip(w.written.String()), w.text) {
		w.once.Do(func() { go w.then() })
	}
	return len(b), nil
}

func TestKeys(t *testing.T) {
	for key, ends := range map[tea.KeyPressMsg]bool{
		{Code: 'q', Text: "q"}: true, {Code: tea.KeyEsc}: true, {Code: 'c', Mod: tea.ModCtrl}: true, {Code: 'x', Text: "x"}: false,
	} {
		ended := false
		v := view{end: func() { ended = true }}
		v.Update(key)
		if ended != ends {
			t.Errorf("%s ends it: %v, want %v", key, ended, ends)
		}
	}
}
