package proxy_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stanch-go/stanch/proxy"
)

// serveAlone is start for a test that ends the proxy itself.
func serveAlone(t *testing.T, text string, o proxy.Options) (px *proxy.Proxy, end context.CancelFunc, ended chan error) {
	t.Helper()
	o.Log = slog.New(slog.DiscardHandler)
	px, err := proxy.New(parse(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	ended = make(chan error, 1)
	go func() { ended <- px.Serve(ctx) }()
	return px, end, ended
}

// What is in flight is finished, the answer tells the client to come no more,
// and there are no new connections.
func TestDrain(t *testing.T) {
	began, finish := make(chan bool), make(chan bool)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			began <- true
			<-finish
		}
		io.WriteString(w, "whole")
	})
	release := sync.OnceFunc(func() { close(finish) })
	t.Cleanup(release) // or a failure would wait for the handler, which waits for us
	px, end, ended := serveAlone(t, fmt.Sprintf("dependencies: {shop: {url: %q}}", url), proxy.Options{Settle: time.Second, DrainTime: 20 * time.Second})
	defer end()
	base := "http://" + px.Addr().String() + "/shop"
	slow := make(chan got, 1)
	go func() {
		req, _ := http.NewRequest("GET", base+"/slow", nil)
		slow <- read(t, client(t, ""), req)
	}()
	<-began
	kept := &http.Client{Transport: &http.Transport{}}
	defer kept.CloseIdleConnections()
	ask := func() *http.Response {
		resp, err := kept.Get(base + "/")
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		return resp
	}
	if ask().Close {
		t.Error("told to come no more before anything")
	}
	end()
	until(t, "it is draining", func() bool { return px.Status().Draining })
	if !ask().Close { // the connection that there was is still served
		t.Error("not told to come no more")
	}
	until(t, "there are no new connections", func() bool {
		conn, err := net.Dial("tcp", px.Addr().String())
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	select {
	case err := <-ended:
		t.Fatal("ended with a request in flight: ", err)
	case <-time.After(150 * ms):
	}
	release()
	if g := <-slow; g.body != "whole" {
		t.Errorf("got %q", g.body)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// At the end of its time the drain cuts off what is left, tunnels too, and says
// so.
func TestDrainIsBounded(t *testing.T) {
	address := listen(t, func(c *net.TCPConn) { io.Copy(io.Discard, c) })
	url := serve(t, hang)
	px, end, ended := serveAlone(t, fmt.Sprintf("dependencies: {shop: {url: %q}, deep: {url: 'http://%s'}}", url, address),
		proxy.Options{Settle: ms, DrainTime: 100 * ms})
	defer end()
	go client(t, "").Get("http://" + px.Addr().String() + "/shop/")
	conn, err := net.Dial("tcp", px.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n", address)
	until(t, "both are in flight", func() bool { return px.Status().Egress.Requests == 2 })
	began := time.Now()
	end()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "2 requests were cut off") {
		t.Errorf("got %v", err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
	until(t, "both are over", func() bool { return px.Status().Egress.Requests == 0 })
}

// While the service finishes what came in, its dependencies can be called.
func TestIngressIsDrainedFirst(t *testing.T) {
	dep := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "item") })
	draining, egress := make(chan bool), make(chan string, 1)
	service := serve(t, func(w http.ResponseWriter, r *http.Request) {
		draining <- true
		<-draining
		resp, err := client(t, "").Get(<-egress + "/shop/")
		if err != nil {
			w.WriteHeader(500)
			return
		}
		defer resp.Body.Close()
		io.Copy(w, resp.Body)
	})
	px, end, ended := serveAlone(t, fmt.Sprintf(`
listen: {egress: "127.0.0.1:0", ingress: {address: "127.0.0.1:0", to: %q}}
dependencies: {shop: {url: %q}}`, service, dep), proxy.Options{Settle: ms, DrainTime: 10 * time.Second})
	defer end()
	egress <- "http://" + px.Addr().String()
	answer := make(chan got, 1)
	go func() {
		req, _ := http.NewRequest("GET", "http://"+px.IngressAddr().String()+"/", nil)
		answer <- read(t, client(t, ""), req)
	}()
	<-draining
	end()
	until(t, "it is draining", func() bool { return px.Status().Draining })
	<-time.After(50 * ms)
	draining <- true
	if g := <-answer; g.StatusCode != 200 || g.body != "item" {
		t.Errorf("got %d %q", g.StatusCode, g.body)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestAddressInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = proxy.New(parse(t, fmt.Sprintf("listen: {egress: %q, ingress: {address: %q, to: 'http://127.0.0.1:1'}}", "127.0.0.1:0", l.Addr())), proxy.Options{})
	if err == nil || !strings.Contains(err.Error(), "listen.ingress.address: ") {
		t.Errorf("got %v", err)
	}
}
