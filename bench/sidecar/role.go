package main

import (
	"bytes"
	"fmt"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// play is what a process of ours does: the server behind all proxies, or one of
// the two proxies that are only a few lines.
func play(role string, args []string) error {
	time.AfterFunc(20*time.Minute, func() { log.Fatal("left behind") })
	switch role {
	case "server":
		return serve(args[0])
	case "bare":
		return bare(args[0], args[1])
	case "fasthttp":
		return fast(args[0], args[1])
	}
	return fmt.Errorf("no role is called %q", role)
}

// serve answers 1 KiB to everything.
func serve(addr string) error {
	body := bytes.Repeat([]byte("x"), 1<<10)
	s := fasthttp.Server{Handler: func(c *fasthttp.RequestCtx) {
		c.SetContentType("text/plain")
		c.SetBody(body)
	}}
	return s.ListenAndServe(addr)
}

// bare is the least that a proxy of the standard library can be, tuned: buffers
// and connections are used again.
func bare(addr, server string) error {
	proxy := &httputil.ReverseProxy{
		Rewrite:    func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: server}) },
		BufferPool: new(buffers),
		Transport: &http.Transport{
			MaxIdleConns: 4096, MaxIdleConnsPerHost: 4096, IdleConnTimeout: time.Minute, DisableCompression: true,
		},
	}
	s := http.Server{Addr: addr, Handler: proxy, ReadHeaderTimeout: 10 * time.Second}
	return s.ListenAndServe()
}

type buffers struct{ pool sync.Pool }

func (b *buffers) Get() []byte {
	if p, ok := b.pool.Get().(*[]byte); ok {
		return *p
	}
	return make([]byte, 32<<10)
}

func (b *buffers) Put(p []byte) { b.pool.Put(&p) }

// fast is a plain proxy of fasthttp: whole messages in memory, HTTP/1 only.
func fast(addr, server string) error {
	client := &fasthttp.HostClient{Addr: server, MaxConns: 4096, ReadTimeout: 10 * time.Second}
	s := fasthttp.Server{Handler: func(c *fasthttp.RequestCtx) {
		c.Request.Header.Del("Connection")
		if err := client.Do(&c.Request, &c.Response); err != nil {
			c.Error(err.Error(), http.StatusBadGateway)
		}
		c.Response.Header.Del("Connection")
	}}
	return s.ListenAndServe(addr)
}
