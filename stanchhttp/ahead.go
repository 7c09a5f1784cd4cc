package stanchhttp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// ErrTruncated ends the body of an answer that was read ahead because another
// attempt was likely, and of which there was more than that.
var ErrTruncated = errors.New("stanchhttp: the rest of this answer was given up in favour of a retry")

const (
	aheadBytes = 64 << 10
	aheadTime  = 100 * time.Millisecond
)

// readAhead takes the body off the connection, which is then free for the next
// attempt, or closed if there is too much of it or it takes too long.
func readAhead(resp *http.Response, cut canceler) {
	timer := time.AfterFunc(aheadTime, cut.Cancel)
	data, err := io.ReadAll(io.LimitReader(resp.Body, aheadBytes+1))
	timer.Stop()
	resp.Body.Close()
	if err == nil && len(data) <= aheadBytes {
		resp.Body = io.NopCloser(bytes.NewReader(data))
		return
	}
	rest := ErrTruncated
	if err != nil {
		rest = fmt.Errorf("%w: %w", ErrTruncated, err)
	}
	data = data[:min(len(data), aheadBytes)]
	resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(data), broken{rest}))
}

// broken fails every read.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }
