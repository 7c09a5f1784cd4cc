package proxy_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	stdlog "log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stanch-go/stanch/policy"
	"github.com/stanch-go/stanch/proxy"
)

const ms = time.Millisecond

// TestMain looks for goroutines that nobody ends.
func TestMain(m *testing.M) {
	code := m.Run()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	for end := time.Now().Add(5 * time.Second); len(left()) > 0 && time.Now().Before(end); {
		<-time.After(10 * ms)
	}
	if stacks := left(); code == 0 && len(stacks) > 0 {
		fmt.Fprintf(os.Stderr, "%d goroutines are left:\n%s\n", len(stacks), strings.Join(stacks, "\n\n"))
		code = 1
	}
	os.Exit(code)
}

// left returns the stacks of goroutines that serve or call.
func left() (stacks []string) {
	all := make([]byte, 4<<20)
	for stack := range strings.SplitSeq(string(all[:runtime.Stack(all, true)]), "\n\n") {
		if !strings.Contains(stack, "TestMain") && (strings.Contains(stack, "net/http.") || strings.Contains(stack, "stanch/proxy")) {
			stacks = append(stacks, stack)
		}
	}
	return stacks
}

// sidecar is a proxy that serves on loopback.
type sidecar struct {
	*proxy.Proxy
	t   *testing.T
	URL string // of the egress
	log *log
}

// log keeps what was logged.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// parse reads a policy without its version and listeners.
func parse(t testing.TB, text string) *policy.Policy {
	t.Helper()
	if !strings.Contains(text, "listen:") {
		text = "listen: {egress: \"127.0.0.1:0\"}\n" + text
	}
	p, err := policy.Parse("policy.yaml", []byte("version: 1\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustParse(text string) *policy.Policy {
	p, err := policy.Parse("policy.yaml", []byte("version: 1\n"+text))
	if err != nil {
		panic(err)
	}
	return p
}

func start(t *testing.T, text string, change ...func(*proxy.Options)) *sidecar {
	t.Helper()
	s := &sidecar{t: t, log: &log{}}
	o := proxy.Options{
		Log:       slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		DrainTime: 5 * time.Second, Settle: ms,
	}
	for _, c := range change {
		c(&o)
	}
	px, err := proxy.New(parse(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	s.Proxy, s.URL = px, "http://"+px.Addr().String()
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- px.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error("serve: ", err)
		}
		if strings.Contains(s.log.String(), "panic serving") {
			t.Error(s.log.String())
		}
	})
	return s
}

// one starts a proxy with one dependency, shop, that is served by handler.
func one(t *testing.T, settings string, handler http.HandlerFunc, change ...func(*proxy.Options)) *sidecar {
	t.Helper()
	if settings != "" {
		settings = ", " + settings
	}
	return start(t, fmt.Sprintf("dependencies: {shop: {url: %q%s}}", serve(t, handler), settings), change...)
}

// serve starts a server for HTTP/1.1 and, without TLS, HTTP/2.
func serve(t testing.TB, handler http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewUnstartedServer(handler)
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// client is an http.Client that goes through the proxy, if via is one, and
// keeps no connections.
func client(t testing.TB, via string) *http.Client {
	tr := &http.Transport{DisableKeepAlives: true}
	if via != "" {
		u, _ := url.Parse(via)
		tr.Proxy = http.ProxyURL(u)
	}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: 20 * time.Second}
}

// got is an answer that was read.
type got struct {
	*http.Response
	body string
}

// do sends a request to the shop; headers are names and values in turn.
func (s *sidecar) do(method, path, body string, headers ...string) got {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+"/shop"+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	return read(s.t, client(s.t, ""), req)
}

func (s *sidecar) get(path string, headers ...string) got {
	s.t.Helper()
	return s.do("GET", path, "", headers...)
}

func read(t *testing.T, c *http.Client, req *http.Request) got {
	t.Helper()
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return got{resp, string(body)}
}

// is checks status, source and reason.
func (g got) is(t *testing.T, status int, source, refused string) {
	t.Helper()
	if g.StatusCode != status || g.Header.Get("Stanch-Source") != source || g.Header.Get("Stanch-Refused") != refused {
		t.Errorf("got %d, source %q, refused %q: %s; want %d, %q, %q", g.StatusCode, g.Header.Get("Stanch-Source"), g.Header.Get("Stanch-Refused"),
			g.body, status, source, refused)
	}
}

// shop is the state of the dependency.
func (s *sidecar) shop() proxy.DependencyStatus { return s.Status().Dependencies[0] }

// until waits for something that another goroutine brings about.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); {
		if time.Now().After(end) {
			t.Fatal("waited in vain until ", what)
		}
		<-time.After(ms)
	}
}

// raw sends bytes and returns all that comes back.
func raw(t *testing.T, address, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	all, _ := io.ReadAll(conn)
	return string(all)
}

// rawHalf is raw for a client that has sent all it will.
func rawHalf(t *testing.T, address, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(5 * time.Second))
	io.WriteString(conn, text) // what is refused early may be reset
	conn.(*net.TCPConn).CloseWrite()
	all, _ := io.ReadAll(conn)
	return string(all)
}

// listenAnswer answers every request with the same bytes.
func listenAnswer(t *testing.T, answer string) string {
	return listen(t, func(c *net.TCPConn) {
		if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			io.WriteString(c, answer)
		}
	})
}

// quick gives clients little time.
func quick(o *proxy.Options) { o.HeaderTimeout, o.ClientIdle = 50*ms, 50*ms }

var nothing = slog.New(slog.DiscardHandler)

var quietLog = stdlog.New(io.Discard, "", 0)
