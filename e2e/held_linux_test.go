package e2e

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// Two thousand connections are held, and used now and then: for a minute when
// STANCH_E2E_LONG is set, else for a moment. Neither memory nor goroutines grow,
// and when they are gone so are the goroutines.
func TestHeldConnections(t *testing.T) {
	many, hold := 2000, time.Second
	if raced {
		many = 500 // and the detector's memory, of which there is much, grows by itself
	}
	if os.Getenv("STANCH_E2E_LONG") != "" {
		hold = time.Minute
	}
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("answer")) }))
	s := place(t)
	s.write(fmt.Sprintf("shop: {class: standard, url: %q, timeout: {attempt: 10s, total: 20s}, bulkhead: {limit: 64}}", url))
	s.start(t, []string{"GOGC=100"}) // to see sooner what grows
	idle := s.goroutines(t)

	held := make([]*holder, many)
	for n := range held {
		conn, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		held[n] = &holder{conn, bufio.NewReaderSize(conn, 512)}
	}
	use := func() {
		t.Helper()
		var all sync.WaitGroup
		for part := range 8 {
			all.Go(func() {
				for n := part; n < many; n += 8 {
					if err := held[n].ask(); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		all.Wait()
	}
	use()
	use()
	if n := s.state(t).Egress.Connections; n != many {
		t.Errorf("%d connections are open", n)
	}
	goroutines, memory := s.goroutines(t), s.stat("VmRSS")
	rounds := 0
	for end := time.Now().Add(hold); time.Now().Before(end) && !t.Failed(); rounds++ {
		use()
		<-time.After(hold / 20)
	}
	after, grown := s.goroutines(t), s.stat("VmRSS")-memory
	t.Logf("%d rounds of %d: from %d to %d goroutines, from %d by %d KiB", rounds, many, goroutines, after, memory, grown)
	if after > goroutines+20 {
		t.Error("the goroutines have grown")
	}
	if grown > memory/4 && !raced {
		t.Error("the memory has grown")
	}
	for _, h := range held {
		h.Close()
	}
	until(t, "the connections are gone", func() bool { return s.state(t).Egress.Connections == 0 })
	until(t, "the goroutines are gone", func() bool { return s.goroutines(t) <= idle+2*64+20 }) // connections to the dependency are kept
}

type holder struct {
	net.Conn
	r *bufio.Reader
}

func (h *holder) ask() error {
	h.SetDeadline(time.Now().Add(bound))
	fmt.Fprint(h, "GET /shop/ HTTP/1.1\r\nHost: x\r\n\r\n")
	return skip(h.r)
}

// goroutines asks the sidecar for how many it has.
func (s *sidecar) goroutines(t *testing.T) int {
	t.Helper()
	_, text := s.admin(t, "GET", "/metrics", "")
	var n int
	for line := range strings.Lines(text) {
		if _, err := fmt.Sscanf(line, "go_goroutines %d", &n); err == nil {
			return n
		}
	}
	t.Fatal("no go_goroutines in ", text)
	return 0
}
