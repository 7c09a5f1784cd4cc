//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package direct

import "syscall"

// Reuses says that connections are used again here.
const Reuses = true

// ready reports whether the connection is open and nothing has come on it since
// the last answer. What has come is nobody's answer: it must not be taken for the
// next one's.
func (c *conn) ready() bool {
	c.quiet = false
	return c.raw.Control(c.peek) == nil && c.quiet
}

func (c *conn) look(fd uintptr) {
	_, _, err := syscall.Recvfrom(int(fd), c.first[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	c.quiet = err == syscall.EAGAIN
}
