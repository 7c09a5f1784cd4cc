package inbound

import (
	"path"
	"strings"
)

// A route says which requests something is for.
type route struct {
	method string // "" for all
	path   string // "" for all, without a slash at its end
}

func parseRoute(s string) route {
	method, path, both := strings.Cut(s, " ")
	if !both {
		method, path = "", s
	}
	return route{method, strings.TrimSuffix(strings.TrimSpace(path), "/")}
}

// matches reports whether the request is for the path or for one below it. Paths
// are compared as they are; an adapter cleans them first.
// What is for GET is for HEAD too: services do the same work for both.
func (r route) matches(method, path string) bool {
	if r.method != "" && r.method != method && !(r.method == "GET" && method == "HEAD") {
		return false
	}
	return strings.HasPrefix(path, r.path) && (len(path) == len(r.path) || r.path == "" || path[len(r.path)] == '/')
}

func checkRoute(f *faults, s string) {
	if s == "" {
		return
	}
	r := parseRoute(s)
	f.check(strings.HasPrefix(r.path, "/") || r.path == "" && strings.HasSuffix(s, "/"), "route: must be a path such as /search, or GET /search, is %q", s)
	f.check(r.path == "" || path.Clean(r.path) == r.path && !strings.ContainsAny(r.path, ";%"), "route: no request has this path: paths are compared without //, /./, /../, ;parameters and %%-escapes, is %q", s)
	f.check(strings.ToUpper(r.method) == r.method && !strings.ContainsAny(r.path, " ?#"), "route: must be a path such as /search, or GET /search, is %q", s)
}
