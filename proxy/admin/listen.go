package admin

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// Listen opens the address of an admin listener: HOST:PORT, or unix:PATH. A socket
// can be opened by its owner only. One that a program has left behind is replaced;
// one that is served is not.
func Listen(address string) (net.Listener, error) {
	path, unix := strings.CutPrefix(address, "unix:")
	if !unix {
		return net.Listen("tcp", address)
	}
	if conn, err := net.Dial("unix", path); err == nil {
		conn.Close()
		return nil, fmt.Errorf("%s is served by another program", path)
	}
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() != os.ModeSocket {
		return nil, fmt.Errorf("%s is there already and not a socket", path)
	}
	return listenUnix(path)
}

// listenUnix makes the socket in a directory of its own, which nobody else may
// enter, and moves it to its path when it has its permissions: at no time can
// somebody else open it.
func listenUnix(path string) (net.Listener, error) {
	dir, err := os.MkdirTemp(filepath.Dir(path), ".s") // short: the path of a socket has about a hundred bytes
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	private := filepath.Join(dir, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: private, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // it would be that of the old path
	err = os.Chmod(private, 0o600)
	var ours os.FileInfo
	if err == nil {
		ours, err = os.Lstat(private)
	}
	if err == nil {
		err = os.Rename(private, path)
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return &socket{l, path, ours}, nil
}

// A socket removes its path when it is closed, if it is still its own.
type socket struct {
	*net.UnixListener
	path string
	ours os.FileInfo
}

func (s *socket) Close() error {
	err := s.UnixListener.Close()
	if now, e := os.Lstat(s.path); e == nil && os.SameFile(now, s.ours) {
		err = errors.Join(err, os.Remove(s.path))
	}
	return err
}

// Addr returns the path at which the socket is found.
func (s *socket) Addr() net.Addr { return &net.UnixAddr{Name: s.path, Net: "unix"} }
