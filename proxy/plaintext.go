package proxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// A secured listener tells clients that speak no TLS what they have come to.
// net/http does so as well, but not for most of what is said to a proxy.
type secured struct{ *bounded }

// Accept returns a connection whose first byte is looked at when it is read.
func (l secured) Accept() (net.Conn, error) {
	conn, err := l.bounded.Accept()
	if err != nil {
		return nil, err
	}
	return &greeted{Conn: conn}, nil
}

type greeted struct {
	net.Conn
	heard bool
}

var errPlaintext = errors.New("proxy: the client speaks HTTP without TLS")

// Read reads. A request begins with a letter, and what TLS has to say never does.
func (c *greeted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.heard || n == 0 {
		return n, err
	}
	c.heard = true
	if first := b[0] | 0x20; first < 'a' || first > 'z' {
		return n, err
	}
	c.refuse()
	return 0, errPlaintext
}

// goodbye is how long the rest of a request is listened to: to close before it
// has come would take the answer away from the client.
const goodbye = 500 * time.Millisecond

func (c *greeted) refuse() {
	const status = http.StatusBadRequest
	body, err := json.Marshal(problem{Title: http.StatusText(status), Status: status, Reason: reasonClient, Detail: "This listener speaks TLS: the URL must begin with https."})
	if err != nil {
		panic(err) // it is all words and numbers
	}
	c.SetDeadline(time.Now().Add(goodbye))
	fmt.Fprintf(c.Conn, "HTTP/1.1 %d %s\r\nContent-Type: application/problem+json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s\n",
		status, http.StatusText(status), len(body)+1, body)
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		half.CloseWrite()
	}
	io.Copy(io.Discard, c.Conn)
}
