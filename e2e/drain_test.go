package e2e

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	pb "google.golang.org/grpc/interop/grpc_testing"
)

// When the sidecar is told to end, each request that it has accepted is answered.
// The clients here repeat nothing: a connection that is closed although its last
// answer did not say so is a request lost. Only one that the system took while the
// listener was being closed, and that nobody ever saw, may be reset.
func TestTermUnderLoad(t *testing.T) {
	var served atomic.Int64
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-time.After(3 * time.Millisecond) // so that some are in flight
		served.Add(1)
		w.Write([]byte("answer"))
	}))
	s := guard(t, fmt.Sprintf("shop: {url: %q, timeout: {attempt: 10s}}", url))

	var answered, unseen atomic.Int64
	ended := make(chan error, 16)
	for n := range cap(ended) {
		go func() { ended <- s.ask(n%2 == 0, &answered, &unseen) }()
	}
	until(t, "there is load", func() bool { return answered.Load() > 200 })
	s.signal(syscall.SIGTERM)
	for range cap(ended) {
		select {
		case err := <-ended:
			if !errors.Is(err, syscall.ECONNREFUSED) {
				t.Error("a client ended with ", err)
			}
		case <-time.After(bound):
			t.Fatal("a client does not end")
		}
	}
	if code := s.wait(); code != 0 {
		t.Errorf("it ended with %d", code)
	}
	if answered.Load() != served.Load() {
		t.Errorf("%d requests were answered, %d made", answered.Load(), served.Load())
	}
	t.Logf("%d answered; %d connections were reset unseen", answered.Load(), unseen.Load())
}

// ask sends requests, on one connection for as long as the sidecar likes or on
// one each, until there are no more connections.
func (s *sidecar) ask(keep bool, answered, unseen *atomic.Int64) error {
	for {
		conn, err := net.DialTimeout("tcp", s.addr, bound)
		if err != nil {
			return err
		}
		conn.SetDeadline(time.Now().Add(bound))
		r := bufio.NewReader(conn)
		for more, first := true, true; more; first = false {
			fmt.Fprint(conn, "POST /shop/ HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\nquestion")
			resp, err := http.ReadResponse(r, nil)
			if err == nil {
				_, err = io.Copy(io.Discard, resp.Body)
			}
			if first && errors.Is(err, syscall.ECONNRESET) {
				unseen.Add(1)
				break
			}
			if err != nil || resp.StatusCode != 200 {
				conn.Close()
				return fmt.Errorf("lost: %w", err)
			}
			answered.Add(1)
			more = keep && !resp.Close
		}
		conn.Close()
	}
}

// What takes longer ends too: an answer that is on its way, and a stream, whose
// client is told to come no more.
func TestTermLetsStreamsEnd(t *testing.T) {
	asked, goOn := make(chan struct{}, 1), make(chan struct{})
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "first ")
		http.NewResponseController(w).Flush()
		asked <- struct{}{}
		select {
		case <-goOn:
			io.WriteString(w, "second")
		case <-r.Context().Done():
		}
	}))
	ask, _, s := dialGRPC(t, "", fmt.Sprintf("slow: {url: %q, timeout: {attempt: 10s}, http: {idle: 1m}}", url))
	type got struct {
		body string
		err  error
	}
	answer := make(chan got, 1)
	go func() {
		resp, err := http.Get(s.URL + "/slow/")
		if err != nil {
			answer <- got{err: err}
			return
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		answer <- got{string(body), err}
	}()
	<-asked
	both, err := ask.FullDuplexCall(within(t, bound))
	if err != nil {
		t.Fatal(err)
	}
	echo := func() {
		t.Helper()
		if err := both.Send(&pb.StreamingOutputCallRequest{Payload: &pb.Payload{Body: []byte("x")}}); err != nil {
			t.Fatal(err)
		}
		if _, err := both.Recv(); err != nil {
			t.Fatal(err)
		}
	}
	echo()
	s.signal(syscall.SIGTERM)
	until(t, "nothing new is taken", func() bool {
		conn, err := net.Dial("tcp", s.addr)
		if err == nil {
			conn.Close()
		}
		return errors.Is(err, syscall.ECONNREFUSED)
	})
	echo()
	close(goOn)
	if a := <-answer; a.body != "first second" || a.err != nil {
		t.Errorf("got %q, %v", a.body, a.err)
	}
	echo()
	both.CloseSend()
	if code := s.wait(); code != 0 {
		t.Errorf("it ended with %d", code)
	}
}

// What does not end is cut off when the time for it is over, and that is told.
func TestTermEndsInTime(t *testing.T) {
	asked := make(chan struct{}, 1)
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	s := place(t)
	s.write(fmt.Sprintf("shop: {url: %q}", url))
	s.begin(t, nil, "--drain", "1s")
	go http.Get(s.URL + "/shop/")
	<-asked
	s.signal(syscall.SIGTERM)
	if code := s.wait(); code != 3 || !s.out.has(0, "1 requests were cut off") {
		t.Errorf("it ended with %d", code)
	}
}
