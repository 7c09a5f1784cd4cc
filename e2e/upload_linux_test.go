package e2e

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
)

// A body of 100 MB passes through, both ways at once, while the sidecar's memory
// stays as it was.
func TestUploadIsStreamed(t *testing.T) {
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).EnableFullDuplex()
		io.Copy(w, r.Body)
	}))
	s := guard(t, fmt.Sprintf("store: {url: %q, timeout: {attempt: 10s}, retry: {attempts: 2}}", url))
	echo := func(size int64) {
		t.Helper()
		sent, got := sha256.New(), sha256.New()
		req, _ := http.NewRequestWithContext(t.Context(), "PUT", url, io.TeeReader(body(size), sent))
		req.ContentLength = size
		resp, err := s.client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		n, err := io.Copy(got, resp.Body)
		if err != nil || n != size || !same(sent, got) {
			t.Errorf("%d of %d bytes came back, %v", n, size, err)
		}
	}
	for range 5 {
		echo(1 << 20)
	}
	before, most := s.memory(), 16<<20
	if raced {
		most *= 3
	}
	echo(100 << 20)
	grown := s.memory() - before
	t.Logf("the memory has grown by %d KiB, from %d KiB", grown>>10, before>>10)
	if grown > most {
		t.Error("that is too much")
	}
}

func same(a, b hash.Hash) bool { return string(a.Sum(nil)) == string(b.Sum(nil)) }

// body is so many bytes that nobody could guess.
func body(size int64) io.Reader { return io.LimitReader(rand.NewChaCha8([32]byte{1}), size) }

// memory returns the most memory that the process has had, in bytes.
func (p *process) memory() int { return p.stat("VmHWM") << 10 }

// stat reads a number of /proc/PID/status.
func (p *process) stat(name string) int {
	p.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		p.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			n, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				p.t.Fatal(err)
			}
			return n
		}
	}
	p.t.Fatalf("no %s", name)
	return 0
}
