package admin_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stanch-go/stanch/proxy/admin"
)

func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "admin.sock")
	l, err := admin.Listen("unix:" + path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Perm() != 0o600 || info.Mode().Type() != os.ModeSocket {
		t.Fatal(info, err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("more than the socket is left: %v", entries)
	}
	if l.Addr().String() != path {
		t.Errorf("the address is %s", l.Addr())
	}
	s := start(t, everything)
	ctx, end := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Admin.Serve(ctx, l) }()
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}}
	answer, err := client.Get("http://whatever/healthz") // no browser comes this way: the host says nothing
	if err != nil || answer.StatusCode != 200 {
		t.Fatal(answer, err)
	}
	answer.Body.Close()
	if _, err := admin.Listen("unix:" + path); err == nil || !strings.Contains(err.Error(), "served by another program") {
		t.Errorf("two programs serve one socket: %v", err)
	}
	client.CloseIdleConnections()
	end()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the socket is left behind: %v", err)
	}
}

// What a killed program has left behind does not stand against the next start,
// and an end does not take away what the next one has made.
func TestStaleSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "admin.sock")
	old, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	old.SetUnlinkOnClose(false)
	old.Close()
	first, err := admin.Listen("unix:" + path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	second, err := admin.Listen("unix:" + path)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("the first one took the socket of the second: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.Listen("unix:" + file); err == nil {
		t.Error("a file is replaced by a socket")
	}
	if _, err := admin.Listen("unix:" + filepath.Join(t.TempDir(), "none", "s")); err == nil {
		t.Error("a socket in a directory that is not there")
	}
}

// A stream that is open does not hold up the end.
func TestEndsWithStreams(t *testing.T) {
	l, err := admin.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, everything)
	ctx, end := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Admin.Serve(ctx, l) }()
	req, _ := http.NewRequest("GET", "http://"+l.Addr().String()+"/events", nil)
	req.Header.Set("Accept", "text/event-stream")
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	end()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
