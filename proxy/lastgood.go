package proxy

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stanch-go/stanch/fallback"
	"github.com/stanch-go/stanch/internal/answer"
	"github.com/stanch-go/stanch/policy"
)

// maxKept is the most that a single answer may have to be kept.
const maxKept = 1 << 20

// lastGood keeps the last good answer to each request.
type lastGood struct {
	cfg   policy.LastGood
	store *fallback.Store[string, *kept]
}

// kept is a good answer.
type kept struct {
	header http.Header
	body   []byte
	vary   http.Header // of the request, what the answer depends on
	age    time.Duration
}

func newLastGood(cfg policy.LastGood) (*lastGood, error) {
	store, err := fallback.NewStore(fallback.StoreConfig{MaxAge: cfg.MaxAge, MaxBytes: int64(cfg.MaxBytes)}, func(key string, k *kept) int64 {
		size := 512 + len(key) + len(k.body)
		for name, values := range k.header {
			size += 64 + len(name)
			for _, v := range values {
				size += 16 + len(v)
			}
		}
		return int64(size)
	})
	return &lastGood{cfg, store}, err
}

var (
	errPersonal = errors.New("proxy: the request has credentials, and answers to such are not kept")
	errVaries   = errors.New("proxy: what was kept answers another form of the request")
)

// load returns the last good answer to the request of the exchange in ctx.
func (l *lastGood) load(ctx context.Context) (*http.Response, error) {
	x := exchangeOf(ctx)
	req := x.request
	key, ok := l.key(x, req)
	if !ok {
		return nil, errPersonal
	}
	k, age, found := l.store.Lookup(key)
	if !found {
		return nil, fallback.ErrNoSnapshot
	}
	if !k.answers(req) {
		return nil, errVaries
	}
	fallback.ReportAge(ctx, age)
	h := k.header.Clone()
	h.Set("Age", strconv.FormatInt(int64((k.age+age)/time.Second), 10))
	return response(http.StatusOK, h, k.body), nil
}

// key names a request among all to the dependency, or returns false if answers
// to it are not kept.
func (l *lastGood) key(x *exchange, req *http.Request) (string, bool) {
	key := strconv.Itoa(x.to.index) + " " + x.to.path.RequestURI()
	if personal(req.Header) {
		if !l.cfg.Private {
			return "", false
		}
		whose := sha256.New()
		for _, name := range credentials {
			for _, v := range req.Header[name] {
				io.WriteString(whose, name+"\x00"+v+"\x00")
			}
		}
		key += " " + string(whose.Sum(nil))
	}
	return key, true
}

var credentials = []string{"Authorization", "Cookie"}

func personal(h http.Header) bool {
	for _, name := range credentials {
		if len(h[name]) > 0 {
			return true
		}
	}
	return false
}

// answers reports whether the answer is to that form of the request.
func (k *kept) answers(req *http.Request) bool {
	for name, values := range k.vary {
		if strings.Join(values, ",") != strings.Join(req.Header[name], ",") {
			return false
		}
	}
	return true
}

// keep keeps an answer, if it is a good one and may be, when its body has passed.
func (a answers) keep(req *http.Request, resp *http.Response) {
	l := a.last
	if l == nil || req.Method != http.MethodGet || resp.StatusCode != http.StatusOK || resp.ContentLength > maxKept || answer.IsEventStream(resp.Header) {
		return
	}
	key, ok := l.key(exchangeOf(req.Context()), req)
	if !ok || !l.may(req, resp) {
		return
	}
	vary, ok := varies(req, resp)
	if !ok {
		return
	}
	k := &kept{header: storable(resp.Header), vary: vary}
	if n, err := strconv.Atoi(resp.Header.Get("Age")); err == nil && n > 0 && n < 1<<30 {
		k.age = time.Duration(n) * time.Second
	}
	resp.Body = &capture{ReadCloser: resp.Body, resp: resp, done: func(body []byte) {
		k.body = body
		l.store.Put(key, k)
	}}
}

// may reports whether neither side forbids to keep the answer.
func (l *lastGood) may(req *http.Request, resp *http.Response) bool {
	said := directives(resp.Header)
	if said["no-store"] || directives(req.Header)["no-store"] {
		return false
	}
	return l.cfg.Private || !said["private"] && len(resp.Header["Set-Cookie"]) == 0
}

// directives returns the names that Cache-Control has.
func directives(h http.Header) map[string]bool {
	lines := h["Cache-Control"]
	if len(lines) == 0 {
		return nil
	}
	names := map[string]bool{}
	for _, line := range lines {
		for part := range strings.SplitSeq(line, ",") {
			name, _, _ := strings.Cut(part, "=")
			names[strings.ToLower(strings.TrimSpace(name))] = true
		}
	}
	return names
}

// varies returns the headers of the request on which the answer depends, or
// false if it depends on more than that.
func varies(req *http.Request, resp *http.Response) (http.Header, bool) {
	var on http.Header
	for _, line := range resp.Header["Vary"] {
		for name := range strings.SplitSeq(line, ",") {
			name = http.CanonicalHeaderKey(strings.TrimSpace(name))
			if name == "*" {
				return nil, false
			}
			if on == nil {
				on = http.Header{}
			}
			on[name] = append([]string(nil), req.Header[name]...)
		}
	}
	return on, true
}

// storable is a header without what is for one connection or one client.
func storable(h http.Header) http.Header {
	kept := h.Clone()
	for _, line := range h["Connection"] {
		for name := range strings.SplitSeq(line, ",") {
			kept.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range []string{
		"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
		"Set-Cookie", "Age", "Via", HeaderSource, HeaderAttempts, HeaderRefused,
	} {
		kept.Del(name)
	}
	return kept
}

// capture copies the body that passes through it.
type capture struct {
	io.ReadCloser
	resp *http.Response
	body []byte
	over bool // too much of it, or done
	done func([]byte)
}

func (c *capture) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if c.over {
		return n, err
	}
	if len(c.body)+n > maxKept {
		c.over, c.body = true, nil
		return n, err
	}
	c.body = append(c.body, p[:n]...)
	if err == io.EOF {
		c.over = true
		if len(c.resp.Trailer) == 0 && (c.resp.ContentLength < 0 || c.resp.ContentLength == int64(len(c.body))) {
			c.done(c.body)
		}
	} else if err != nil {
		c.over, c.body = true, nil
	}
	return n, err
}
