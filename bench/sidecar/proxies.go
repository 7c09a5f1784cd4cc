package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// A proxy is one of those that are compared.
type proxy struct {
	name    string
	about   string
	addr    string
	path    string // that it serves
	command []string
	absent  string // why it is not measured
	*process
	samples map[int][]sample // by connections
	memory  map[int]int64    // resident bytes, by connections
}

// proxies writes the configurations of all, as much alike as they can be: two
// threads, kept connections on both sides, no log.
func proxies(dir, stanch, server string) []*proxy {
	var all []*proxy
	add := func(name, about, path, file, text string, command ...string) {
		addr := free()
		if file != "" {
			file = filepath.Join(dir, file)
			fail(os.WriteFile(file, fmt.Appendf(nil, text, addr, server), 0o600))
		}
		for i, arg := range command {
			switch arg {
			case "FILE":
				command[i] = file
			case "ADDR":
				command[i] = addr
			}
		}
		all = append(all, &proxy{name: name, about: about, addr: addr, path: path, command: command,
			samples: map[int][]sample{}, memory: map[int]int64{}})
	}
	own := os.Args[0]
	add("stanch", "class standard, everything on", "/shop/item", "stanch.yaml", `version: 1
listen: {egress: "%[1]s", admin: "unix:`+filepath.Join(dir, "admin")+`"}
dependencies:
  shop: {class: standard, url: "http://%[2]s", timeout: {attempt: 2s, total: 3s}, bulkhead: {limit: 4096}, fallback: {empty: object}}
`, stanch, "run", "-c", "FILE")
	add("bare", "httputil.ReverseProxy, tuned", "/item", "", "", own, "role", "bare", "ADDR", server)
	add("fasthttp", "a plain proxy: no streams, no HTTP/2", "/item", "", "", own, "role", "fasthttp", "ADDR", server)
	add("caddy", "reverse_proxy", "/item", "Caddyfile", `{
	admin off
	auto_https off
	log {
		output discard
	}
}
http://%[1]s {
	reverse_proxy %[2]s {
		transport http {
			keepalive_idle_conns 4096
			keepalive_idle_conns_per_host 4096
		}
	}
}
`, "caddy", "run", "--config", "FILE", "--adapter", "caddyfile")
	add("nginx", "proxy_pass with keepalive", "/item", "nginx.conf", `daemon off;
worker_processes 2;
pid `+filepath.Join(dir, "nginx.pid")+`;
error_log /dev/null crit;
events { worker_connections 8192; }
http {
	access_log off;
	keepalive_requests 1000000000;
	client_body_temp_path `+dir+`;
	proxy_temp_path `+dir+`;
	fastcgi_temp_path `+dir+`;
	uwsgi_temp_path `+dir+`;
	scgi_temp_path `+dir+`;
	upstream server { server %[2]s; keepalive 4096; keepalive_requests 1000000000; }
	server {
		listen %[1]s;
		location / { proxy_pass http://server; proxy_http_version 1.1; proxy_set_header Connection ""; }
	}
}
`, "nginx", "-c", "FILE")
	add("haproxy", "mode http, http-reuse always", "/item", "haproxy.cfg", `global
	nbthread 2
	maxconn 8000
defaults
	mode http
	timeout connect 2s
	timeout client 30s
	timeout server 10s
frontend in
	bind %[1]s
	default_backend out
backend out
	http-reuse always
	server one %[2]s
`, "haproxy", "-db", "-f", "FILE")
	return all
}

// free returns an address that nobody has.
func free() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	fail(err)
	defer l.Close()
	return l.Addr().String()
}
