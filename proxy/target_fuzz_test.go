package proxy_test

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stanch-go/stanch/proxy"
)

// Whatever a client sends, its request reaches a dependency whole and once, at
// the declared place and below the declared path, or it does not at all. What
// the oracle knows is how often net/http itself finds a request in the bytes.
func FuzzEgress(f *testing.F) {
	for _, seed := range []string{
		"GET /shop/a HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET http://shop/a HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET //shop/../a HTTP/1.1\r\nHost: shop\r\n\r\n",
		"POST /shop HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhiGET /shop HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST /shop HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
		"CONNECT shop:80 HTTP/1.1\r\nHost: x\r\n\r\n",
		"OPTIONS * HTTP/1.1\r\nHost: shop\r\n\r\n",
		"GET /shop%2f..%2f HTTP/1.1\r\nHost: [::1]:80\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
	} {
		f.Add(seed)
	}
	var mu sync.Mutex
	var paths []string
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		paths = append(paths, r.URL.EscapedPath())
		mu.Unlock()
	}))
	f.Cleanup(up.Close)
	px, err := proxy.New(mustParse("listen: {egress: \"127.0.0.1:0\"}\ndependencies: {shop: {url: \""+up.URL+"/base\", timeout: {attempt: 2s, connect: 1s}}}"),
		proxy.Options{HeaderTimeout: 5 * ms, ClientIdle: 5 * ms, KeepAlive: 5 * ms, Log: nothing})
	if err != nil {
		f.Fatal(err)
	}
	go px.Serve(f.Context())
	f.Cleanup(func() { px.Drain(f.Context()) })
	f.Fuzz(func(t *testing.T, text string) {
		before := asked(px)
		raw(t, px.Addr().String(), text)
		until(t, "all is over", func() bool { e := px.Status().Egress; return e.Requests == 0 && e.Connections == 0 })
		most := uint64(0)
		for r := bufio.NewReader(strings.NewReader(text)); ; most++ {
			req, err := http.ReadRequest(r)
			if err != nil {
				break
			}
			if req.Body != nil {
				req.Body.Close()
			}
		}
		if n := asked(px) - before; n > most {
			t.Errorf("%d attempts for %d requests", n, most)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, p := range paths {
			if p != "/base" && !strings.HasPrefix(p, "/base/") {
				t.Errorf("reached %q", p)
			}
		}
		paths = nil
	})
}

// asked returns how often any dependency was.
func asked(px *proxy.Proxy) (n uint64) {
	for _, d := range px.Status().Dependencies {
		for _, k := range d.Attempts {
			n += k
		}
	}
	return n
}
