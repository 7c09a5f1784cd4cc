package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// What two readers of the same bytes may take for different requests must not
// reach a second reader (RFC 9112 sections 2.2, 3, 5, 6, 7 and 11.2). The
// connection ends, and the dependency has seen nothing.
func TestAmbiguousRequests(t *testing.T) {
	var asked atomic.Int64
	s := one(t, "", func(w http.ResponseWriter, r *http.Request) {
		// A body that streams has begun to arrive before its fault can be seen,
		// but must not come to its end.
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		asked.Add(1)
		fmt.Fprint(w, r.Method, r.URL)
	})
	host := "Host: x\r\n"
	for _, tt := range []struct{ name, request string }{
		{"length and chunks", "POST /shop/ HTTP/1.1\r\n" + host + "Content-Length: 5\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"},
		{"differing lengths", "POST /shop/ HTTP/1.1\r\n" + host + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"},
		{"list of differing lengths", "POST /shop/ HTTP/1.1\r\n" + host + "Content-Length: 5, 6\r\n\r\nhello!"},
		{"list of lengths", "POST /shop/ HTTP/1.1\r\n" + host + "Content-Length: 5, 5\r\n\r\nhello"},
		{"negative length", "POST /shop/ HTTP/1.1\r\n" + host + "Content-Length: -5\r\n\r\nhello"},
		{"length with a sign", "POST /shop/ HTTP/1.1\r\n" + host + "Content-Length: +5\r\n\r\nhello"},
		{"length in hexadecimal", "POST /shop/ HTTP/1.1\r\n" + host + "Content-Length: 0x5\r\n\r\nhello"},
		{"length that overflows", "POST /shop/ HTTP/1.1\r\n" + host + "Content-Length: 99999999999999999999\r\n\r\nhello"},
		{"empty length", "POST /shop/ HTTP/1.1\r\n" + host + "Content-Length: \r\n\r\nhello"},
		{"unknown coding", "POST /shop/ HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"},
		{"hidden coding", "POST /shop/ HTTP/1.1\r\n" + host + "Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n"},
		{"coding that is not last", "POST /shop/ HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked, x\r\n\r\n0\r\n\r\n"},
		{"coding given twice", "POST /shop/ HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
		{"chunk that is no number", "POST /shop/ HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nxyz\r\nhello\r\n0\r\n\r\n"},
		{"chunk with a sign", "POST /shop/ HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n"},
		{"chunk in hexadecimal with a prefix", "POST /shop/ HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n"},
		{"chunk that overflows", "POST /shop/ HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n10000000000000005\r\nhello\r\n0\r\n\r\n"},
		{"chunk longer than it says", "POST /shop/ HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n3\r\nhello\r\n0\r\n\r\n"},
		{"chunk that ends in a bare LF", "POST /shop/ HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\n0\r\n\r\n"},
		{"chunk extension with a bare LF", "POST /shop/ HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n5;a\nhello\r\n0\r\n\r\n"},
		{"body that ends early", "POST /shop/ HTTP/1.1\r\n" + host + "Content-Length: 500\r\n\r\nhello"},
		{"space before the colon", "GET /shop/ HTTP/1.1\r\n" + host + "Content-Length : 5\r\n\r\nhello"},
		{"space in a name", "GET /shop/ HTTP/1.1\r\n" + host + "X Y: 5\r\n\r\n"},
		{"no name", "GET /shop/ HTTP/1.1\r\n" + host + ": 5\r\n\r\n"},
		{"no colon", "GET /shop/ HTTP/1.1\r\n" + host + "X-Header\r\n\r\n"},
		{"header that begins with a space", "GET /shop/ HTTP/1.1\r\n X: y\r\n" + host + "\r\n"},
		{"NUL in a value", "GET /shop/ HTTP/1.1\r\n" + host + "X: a\x00b\r\n\r\n"},
		{"bare CR in a value", "GET /shop/ HTTP/1.1\r\n" + host + "X: a\rY: b\r\n\r\n"},
		{"bare CR for a line end", "GET /shop/ HTTP/1.1\rHost: x\r\r"},
		{"no host", "GET /shop/ HTTP/1.1\r\n\r\n"},
		{"two hosts", "GET /shop/ HTTP/1.1\r\n" + host + "Host: y\r\n\r\n"},
		{"a host that is none", "GET /shop/ HTTP/1.1\r\nHost: a/b\r\n\r\n"},
		{"a host with a user", "GET /shop/ HTTP/1.1\r\nHost: a@b c\r\n\r\n"},
		{"method with a space", "GE T /shop/ HTTP/1.1\r\n" + host + "\r\n"},
		{"method with a colon", "GET: /shop/ HTTP/1.1\r\n" + host + "\r\n"},
		{"no method", " /shop/ HTTP/1.1\r\n" + host + "\r\n"},
		{"target with a space", "GET /shop/a b HTTP/1.1\r\n" + host + "\r\n"},
		{"target with a control character", "GET /shop/\x01 HTTP/1.1\r\n" + host + "\r\n"},
		{"target without a slash", "GET shop/ HTTP/1.1\r\n" + host + "\r\n"},
		{"target with a bad escape", "GET /shop/%zz HTTP/1.1\r\n" + host + "\r\n"},
		{"another version", "GET /shop/ HTTP/3.7\r\n" + host + "\r\n"},
		{"a version that is none", "GET /shop/ HTTP/1.x\r\n" + host + "\r\n"},
		{"no version", "GET /shop/\r\n" + host + "\r\n"},
		{"lower case version", "GET /shop/ http/1.1\r\n" + host + "\r\n"},
		{"a header of a megabyte", "GET /shop/ HTTP/1.1\r\n" + host + "X: " + strings.Repeat("x", 1<<20) + "\r\n\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			answer := rawHalf(t, s.Addr().String(), tt.request)
			status, _, _ := strings.Cut(strings.TrimPrefix(answer, "HTTP/1.1 "), " ")
			switch status {
			case "400", "403", "408", "413", "431", "501", "505":
			default:
				t.Errorf("answered %.300q", answer)
			}
			if strings.Count(answer, "HTTP/1.1 ") != 1 {
				t.Errorf("more than one answer: %q", answer)
			}
		})
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the dependency was asked %d times", n)
	}
	until(t, "all is over", func() bool { return s.shop().InFlight == 0 })
	for result, n := range s.shop().Attempts {
		if n > 0 && result != "excluded" {
			t.Errorf("%d attempts ended in %q: the client's faults are not the dependency's", n, result)
		}
	}
}

// What is odd but clear arrives as what it means, once.
func TestOddRequests(t *testing.T) {
	s := one(t, "", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "[%s %s %d %v %s %q]", r.Method, r.URL, r.ContentLength, r.TransferEncoding, body, r.Header["X"])
	})
	target := s.Policy().Dependencies[0].Value.URL[0]
	for _, tt := range []struct{ name, request, want string }{
		{"equal lengths", "POST /shop/ HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi", "[POST / 2 [] hi []]"},
		{"length beside chunks", "POST /shop/ HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nhi\r\n0\r\n\r\n", "[POST / -1 [chunked] hi []]"},
		{"upper case coding", "POST /shop/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: CHUNKED\r\nConnection: close\r\n\r\n2\r\nhi\r\n0\r\n\r\n", "[POST / -1 [chunked] hi []]"},
		{"folded line", "GET /shop/ HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\nConnection: close\r\n\r\n", `[GET / 0 []  ["a b"]]`},
		{"bare LF line ends", "GET /shop/ HTTP/1.1\nHost: x\nX: a\nConnection: close\n\n", `[GET / 0 []  ["a"]]`},
		{"the target wins over the host", "GET " + target + "/a HTTP/1.1\r\nHost: elsewhere\r\nConnection: close\r\n\r\n", "[GET /a 0 []  []]"},
		{"length named by Connection", "POST /shop/ HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close, Content-Length\r\n\r\nhi", "[POST / 2 [] hi []]"},
		{"host named by Connection", "GET /shop/ HTTP/1.1\r\nHost: x\r\nConnection: close, Host\r\n\r\n", "[GET / 0 []  []]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			answer := raw(t, s.Addr().String(), tt.request)
			if !strings.HasPrefix(answer, "HTTP/1.1 200 ") || !strings.Contains(answer, tt.want) || strings.Count(answer, "[GET")+strings.Count(answer, "[POST") != 1 {
				t.Errorf("answered %q, want %s", answer, tt.want)
			}
		})
	}
}

// A second request behind the first one's body is another one, and not hidden
// from the guards.
func TestPipelined(t *testing.T) {
	s := one(t, "", echo("shop"))
	answer := raw(t, s.Addr().String(), "POST /shop/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi"+
		"GET /secret/2 HTTP/1.1\r\nHost: x\r\n\r\n"+"GET /shop/3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	if strings.Count(answer, "HTTP/1.1 200 ") != 2 || strings.Count(answer, "HTTP/1.1 403 ") != 1 {
		t.Error(answer)
	}
}

// An answer that cannot be read is the dependency's fault, and nothing of what
// it tried to add reaches the client.
func TestBadAnswers(t *testing.T) {
	for _, answer := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
		"HTTP/1.1 200 OK\r\nX: a\x00b\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 abc\r\n\r\n",
		"nonsense\r\n\r\n",
		"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<17) + "\r\n\r\n",
	} {
		address := listenAnswer(t, answer)
		s := start(t, fmt.Sprintf("dependencies: {shop: {url: %q}}", "http://"+address))
		g := s.get("/")
		g.is(t, 502, "", "")
		if d := s.shop(); d.Attempts["error"] != 1 {
			t.Errorf("%.40q: counted %v", answer, d.Attempts)
		}
	}
}

func TestBadHeaderOfAnAnswer(t *testing.T) {
	address := listenAnswer(t, "HTTP/1.1 200 OK\r\nX : y\r\nContent-Length: 2\r\n\r\nhi")
	s := start(t, fmt.Sprintf("dependencies: {shop: {url: %q}}", "http://"+address))
	if answer := raw(t, s.Addr().String(), "GET /shop/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); strings.Contains(answer, "\nX") {
		t.Error(answer)
	}
}

func TestSlowHeader(t *testing.T) {
	s := one(t, "", echo("shop"), quick)
	began := time.Now()
	raw(t, s.Addr().String(), "GET /shop/ HTTP/1.1\r\nHost: x\r\nX: ")
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("a client that does not finish its header had %v", took)
	}
}
