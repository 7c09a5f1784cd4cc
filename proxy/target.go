package proxy

import (
	"net"
	"net/http"
	"net/url"
	"strings"
)

// A target is where a request is to go.
type target struct {
	route *route
	index int      // of the URL to begin with, -1: whichever is next
	path  *url.URL // path and query, below the dependency's URL if within
	// within says that the path is relative to the dependency's URL.
	within bool
}

// find returns the target of a request, or false if it names nothing that is
// declared.
func (t *table) find(r *http.Request) (target, bool) {
	if r.URL.IsAbs() { // sent to a proxy
		if r.URL.Scheme != "http" && r.URL.Scheme != "https" {
			return target{}, false
		}
		return t.below(t.address(r.URL), r.URL)
	}
	if rt := t.byName[hostOnly(r.Host)]; rt != nil {
		return target{rt, -1, r.URL, true}, true
	}
	if found, ok := t.below(t.address(&url.URL{Scheme: "http", Host: r.Host}), r.URL); ok {
		return found, true
	}
	first, rest := cutSegment(r.URL.EscapedPath())
	rt := t.byName[first]
	if rt == nil {
		return target{}, false
	}
	path, err := url.PathUnescape(rest)
	if err != nil {
		return target{}, false
	}
	return target{rt, -1, &url.URL{Path: path, RawPath: rest, RawQuery: r.URL.RawQuery, ForceQuery: r.URL.ForceQuery}, true}, true
}

// tunnel returns the route of a CONNECT request to host:port.
func (t *table) tunnel(hostport string) (*route, bool) {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return nil, false
	}
	all := t.hosts[net.JoinHostPort(hostName(host), port)]
	if len(all) == 0 {
		return nil, false
	}
	return all[len(all)-1].route, true // the least path: what is within cannot be seen
}

// address returns the host:port that a URL means. A host without a port may
// stand for an https dependency: the way to it is then encrypted by the proxy.
func (t *table) address(u *url.URL) string {
	key := hostPort(u)
	if _, ok := t.hosts[key]; !ok && u.Port() == "" {
		if alias, ok := t.aliases[hostName(u.Hostname())]; ok {
			return alias
		}
	}
	return key
}

// below finds the dependency below whose path at that host u is.
func (t *table) below(hostport string, u *url.URL) (target, bool) {
	all := t.hosts[hostport]
	if len(all) == 0 {
		return target{}, false
	}
	path := u.EscapedPath()
	if len(all) > 1 && dotted(u.Path) {
		return target{}, false // it may be below another one's path
	}
	for _, at := range all {
		if rest, ok := strings.CutPrefix(path, at.path); ok && (rest == "" || rest[0] == '/' || at.path == "") {
			return target{at.route, at.index, u, false}, true
		}
	}
	return target{}, false
}

// dotted reports whether a path has segments that mean another one.
func dotted(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}

// cutSegment takes the first segment off a path.
func cutSegment(path string) (first, rest string) {
	path = strings.TrimPrefix(path, "/")
	if i := strings.IndexByte(path, '/'); i >= 0 {
		return path[:i], path[i:]
	}
	return path, "/"
}

// hostOnly returns a Host header without its port.
func hostOnly(host string) string {
	if strings.IndexByte(host, ':') < 0 { // for which there would be an error
		return strings.ToLower(host)
	}
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(host)
}

// at returns the URL that a path has at one of the dependency's own.
func (to target) at(u *url.URL) url.URL {
	out := url.URL{Scheme: u.Scheme, Host: u.Host, Path: to.path.Path, RawPath: to.path.RawPath, RawQuery: to.path.RawQuery, ForceQuery: to.path.ForceQuery}
	if to.within {
		out.Path = strings.TrimSuffix(u.Path, "/") + slash(out.Path)
		out.RawPath = strings.TrimSuffix(u.EscapedPath(), "/") + slash(to.path.EscapedPath())
	}
	return out
}

func slash(path string) string {
	if strings.HasPrefix(path, "/") {
		return path
	}
	return "/" + path
}
