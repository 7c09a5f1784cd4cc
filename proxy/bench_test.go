package proxy_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stanch-go/stanch/proxy"
)

// The overhead is that of the proxy's own process, beside that of the least one
// that there is: httputil.ReverseProxy with a transport of the same limits. The
// client and the dependency are in this process, which is not measured.
//
//	go test -run '^$' -bench Overhead ./proxy
func BenchmarkOverhead(b *testing.B) {
	up := serve(b, func(w http.ResponseWriter, r *http.Request) { w.Write(page) })
	for _, kind := range []string{"bare", "stanch", "bare", "stanch"} {
		b.Run(kind, func(b *testing.B) {
			c := exec.Command(os.Args[0], "-test.run", "^$")
			c.Env = append(os.Environ(), "STANCH_BENCH="+kind, "STANCH_BENCH_TO="+up)
			out, err := c.StdoutPipe()
			if err != nil {
				b.Fatal(err)
			}
			in, _ := c.StdinPipe()
			if err := c.Start(); err != nil {
				b.Fatal(err)
			}
			var address string
			fmt.Fscanln(out, &address)
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
			defer client.CloseIdleConnections()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					resp, err := client.Get("http://" + address + "/shop/item?id=1")
					if err != nil {
						b.Error(err)
						return
					}
					io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
				}
			})
			in.Close()
			c.Wait()
			b.ReportMetric(float64(c.ProcessState.SystemTime()+c.ProcessState.UserTime())/float64(b.N)/1e3, "cpu-µs/op")
		})
	}
}

// buffers spare the bare proxy what would be unfair.
type buffers struct{ sync.Pool }

func (b *buffers) Get() []byte {
	if p, ok := b.Pool.Get().(*[32 << 10]byte); ok {
		return p[:]
	}
	return make([]byte, 32<<10)
}

func (b *buffers) Put(p []byte) { b.Pool.Put((*[32 << 10]byte)(p)) }

var page = []byte(strings.Repeat("x", 1000))

// child is the proxy of a benchmark, in a process of its own.
func child(kind, to string) {
	u, _ := url.Parse(to)
	l, _ := net.Listen("tcp", "127.0.0.1:0")
	var handler http.Handler = &httputil.ReverseProxy{
		Rewrite:    func(r *httputil.ProxyRequest) { r.SetURL(u) },
		BufferPool: &buffers{},
		Transport: &http.Transport{DialContext: (&net.Dialer{Timeout: time.Second}).DialContext, MaxIdleConnsPerHost: 100, MaxConnsPerHost: 200,
			ResponseHeaderTimeout: time.Second, IdleConnTimeout: time.Minute, DisableCompression: true},
	}
	fmt.Println(l.Addr())
	if kind == "bare" {
		go http.Serve(l, handler)
	} else {
		px, err := proxy.New(mustParse(fmt.Sprintf("dependencies: {shop: {class: standard, url: %q, bulkhead: {limit: 100}, fallback: {last_good: {}}}}", to)),
			proxy.Options{Egress: l, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			panic(err)
		}
		go px.Serve(context.Background())
	}
	io.Copy(io.Discard, os.Stdin)
	syscall.Exit(0)
}
