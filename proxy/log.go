package proxy

import (
	"bytes"
	"context"
	"log"
	"log/slog"
	"strings"
)

// levelRequest is the level of what happens to single requests. An incident has
// many of them, and the counts tell it better.
const levelRequest = slog.LevelDebug

// quiet is the log of net/http, which tells of clients that left and the like.
func (p *Proxy) quiet() *log.Logger { return log.New(toSlog{p.options.Log}, "", 0) }

type toSlog struct{ log *slog.Logger }

func (t toSlog) Write(line []byte) (int, error) {
	level := levelRequest
	if bytes.Contains(line, []byte("panic serving")) {
		level = slog.LevelError
	}
	t.log.Log(context.Background(), level, strings.TrimSpace(string(line)))
	return len(line), nil
}
