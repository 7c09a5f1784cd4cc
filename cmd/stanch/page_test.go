//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// sidecar runs the real program with one dependency, shop, and returns the address
// of its admin side.
func sidecar(t *testing.T) *url.URL {
	t.Helper()
	file := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(file, []byte(`version: 1
service: {name: news}
listen: {egress: "127.0.0.1:0", admin: "127.0.0.1:0"}
dependencies:
  shop: {url: "http://127.0.0.1:9", breaker: {consecutive: 3}}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, "run", "-c", file)
	c.Args[0] = "stanch"
	out, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	address := make(chan string, 1)
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if m := regexp.MustCompile(` admin=(\S+)`).FindStringSubmatch(lines.Text()); m != nil {
				address <- m[1]
			}
		}
	}()
	t.Cleanup(func() {
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		<-read
		if err := c.Wait(); err != nil {
			t.Error("stanch run: ", err)
		}
	})
	select {
	case a := <-address:
		return &url.URL{Scheme: "http", Host: a}
	case <-read:
		t.Fatal("stanch run has ended without an admin side")
	}
	return nil
}

// browse opens an address in Chromium and returns the document when its scripts
// have had so much time, which is virtual. What the browser complains of fails the
// test.
func browse(t *testing.T, address string, virtual time.Duration) string {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("no chromium, and CI demands it (Debian: apt-get install chromium)")
		}
		t.Skip("NO CHROMIUM: the page is not tested in a browser (Debian: apt-get install chromium)")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--user-data-dir="+t.TempDir(),
		"--enable-logging=stderr", fmt.Sprintf("--virtual-time-budget=%d", virtual.Milliseconds()), "--dump-dom", address)
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) } // with all its processes
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.WaitDelay = 5 * time.Second
	var said bytes.Buffer
	c.Stderr = &said
	document, err := c.Output()
	if err != nil {
		t.Fatalf("chromium: %v\n%s", err, said.String())
	}
	for line := range strings.Lines(said.String()) {
		if strings.Contains(line, "CONSOLE") {
			t.Error("the browser complains: ", line)
		}
	}
	return string(document)
}

// The page of a sidecar that runs, in a real browser: it is there, nobody
// complains, and the script shows what happens afterwards.
func TestPageInBrowser(t *testing.T) {
	admin := sidecar(t)
	var loads atomic.Int64
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(admin) }}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/" && loads.Add(1) == 2 { // the script asks again
			answer, err := http.PostForm(admin.JoinPath("/breaker/shop").String(), url.Values{"state": {"open"}})
			if err != nil || answer.StatusCode != http.StatusOK {
				t.Error(answer, err)
				return
			}
			answer.Body.Close()
		}
		forward.ServeHTTP(w, req)
	}))
	defer front.Close()
	document := browse(t, front.URL, 5*time.Second)
	if loads.Load() < 2 {
		t.Fatal("the page is not kept up to date")
	}
	for _, want := range []string{
		"<title>Stanch sidecar of news</title>", "<header>", "<main>", `<nav aria-label="Parts of the page">`, `<h2 id="d0">shop</h2>`,
		`<span class="bad">forced-open</span>`, "Breakers: shop is forced-open.", "breaker closed -&gt; forced-open", `role="alert" hidden=""`,
	} {
		if !strings.Contains(document, want) {
			t.Errorf("%s is not in the page", want)
		}
	}
}

// A form of the page works, and the same one on a page of another origin does not:
// the browser says where a form was, and that is what is judged by.
func TestFormsInBrowser(t *testing.T) {
	admin := sidecar(t)
	form := func(action string) string {
		return `<!DOCTYPE html><title>a form</title><link rel="icon" href="data:,"><form method="post" action="` + action + `"><input name="state" value="open"></form><script>document.forms[0].submit()</script>`
	}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, form(admin.JoinPath("/breaker/shop").String()))
	}))
	defer elsewhere.Close()
	document := browse(t, elsewhere.URL, time.Second)
	if !strings.Contains(document, "<h1>Forbidden</h1>") {
		t.Errorf("a form of another origin is obeyed: %s", document)
	}
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(admin) }}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/form" {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, form("/breaker/shop"))
			return
		}
		forward.ServeHTTP(w, req)
	}))
	defer front.Close()
	document = browse(t, front.URL+"/form", time.Second)
	if !strings.Contains(document, "Breakers: shop is forced-open.") {
		t.Errorf("the page's own form is not obeyed: %s", document)
	}
}
