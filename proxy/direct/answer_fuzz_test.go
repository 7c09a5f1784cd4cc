package direct_test

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stanch-go/stanch/proxy/direct"
)

// FuzzAnswer gives the same bytes as an answer to a Transport and to net/http's.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		ok, ok + "x", "",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: A\r\n\r\n2\r\nok\r\n0\r\nA: b\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n2;x=y\r\nok\r\n0\r\n\r\n",
		"HTTP/1.1 103 Early\r\nA: b\r\n\r\nHTTP/1.1 204 No\r\n\r\n",
		"HTTP/1.0 200 OK\r\n\r\nuntil the end",
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok",
		"HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n",
		"HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
		"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 2000) + "\r\n\r\n",
	} {
		f.Add([]byte(s), uint8(0))
		f.Add([]byte(s), uint8(1))
	}
	f.Fuzz(func(t *testing.T, data []byte, how uint8) {
		like := &http.Transport{
			DialContext:            func(context.Context, string, string) (net.Conn, error) { return newCanned(data), nil },
			MaxResponseHeaderBytes: 1000, DisableCompression: true, DisableKeepAlives: false,
		}
		defer like.CloseIdleConnections()
		method := []string{"GET", "HEAD", "OPTIONS"}[how%3]
		ask := func(rt http.RoundTripper) answer {
			req, err := http.NewRequest(method, "http://shop/", nil)
			if err != nil {
				t.Fatal(err)
			}
			return answerOf(get(rt, req))
		}
		mine, theirs := ask(direct.New("shop:80", like)), ask(like)
		if theirs.status == http.StatusSwitchingProtocols {
			if !mine.failed {
				t.Errorf("switched: %+v", mine)
			}
			return
		}
		if !mine.equal(theirs) {
			t.Errorf("%q:\n%+v\nnet/http:\n%+v", data, mine, theirs)
		}
	})
}

// answer is what can be seen of one.
type answer struct {
	status          int
	line, body      string
	header, trailer http.Header
	length          int64
	close, failed   bool
}

func answerOf(resp *http.Response, body string, err error) answer {
	if resp == nil {
		return answer{failed: err != nil}
	}
	return answer{resp.StatusCode, resp.Proto + " " + resp.Status, body, resp.Header, resp.Trailer, resp.ContentLength, resp.Close, err != nil}
}

func (a answer) equal(b answer) bool {
	return a.status == b.status && a.line == b.line && a.body == b.body && a.length == b.length && a.close == b.close && a.failed == b.failed &&
		maps.EqualFunc(a.header, b.header, slices.Equal) && maps.EqualFunc(a.trailer, b.trailer, slices.Equal)
}

// canned is a connection on which the answer to the first request is ready.
type canned struct {
	net.Conn
	answer bytes.Reader
	once   sync.Once
	asked  chan struct{}
}

func newCanned(data []byte) *canned {
	return &canned{answer: *bytes.NewReader(data), asked: make(chan struct{})}
}

func (c *canned) Read(p []byte) (int, error) {
	<-c.asked
	return c.answer.Read(p)
}

func (c *canned) Write(p []byte) (int, error) {
	c.once.Do(func() { close(c.asked) })
	return len(p), nil
}

func (c *canned) Close() error {
	c.once.Do(func() { close(c.asked) })
	return nil
}

func (c *canned) SetReadDeadline(time.Time) error { return nil }

var _ io.ReadWriteCloser = (*canned)(nil)
