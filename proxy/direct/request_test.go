package direct_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stanch-go/stanch/proxy/direct"
)

func TestTakes(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*http.Request)
		want   bool
	}{
		"GET":               {func(*http.Request) {}, true},
		"HEAD":              {func(r *http.Request) { r.Method = "HEAD" }, true},
		"OPTIONS":           {func(r *http.Request) { r.Method = "OPTIONS" }, true},
		"no body":           {func(r *http.Request) { r.Body = http.NoBody }, true},
		"headers":           {func(r *http.Request) { r.Header = http.Header{"Accept": {"*/*"}, "Content-Length": {"0"}} }, true},
		"an address":        {func(r *http.Request) { r.Host = "[::1]:80" }, true},
		"POST":              {func(r *http.Request) { r.Method = "POST" }, false},
		"DELETE":            {func(r *http.Request) { r.Method = "DELETE" }, false},
		"CONNECT":           {func(r *http.Request) { r.Method = "CONNECT" }, false},
		"no method":         {func(r *http.Request) { r.Method = "" }, false},
		"a body":            {func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader("x")) }, false},
		"a length":          {func(r *http.Request) { r.ContentLength = 1 }, false},
		"an encoding":       {func(r *http.Request) { r.TransferEncoding = []string{"chunked"} }, false},
		"a trailer":         {func(r *http.Request) { r.Trailer = http.Header{"A": nil} }, false},
		"https":             {func(r *http.Request) { r.URL.Scheme = "https" }, false},
		"opaque":            {func(r *http.Request) { r.URL.Opaque = "//x/y" }, false},
		"another protocol":  {func(r *http.Request) { r.Header.Set("Upgrade", "websocket") }, false},
		"of the connection": {func(r *http.Request) { r.Header.Set("Connection", "x") }, false},
		"expects":           {func(r *http.Request) { r.Header.Set("Expect", "100-continue") }, false},
		"wants trailers":    {func(r *http.Request) { r.Header.Set("Te", "trailers") }, false},
		"a strange host":    {func(r *http.Request) { r.Host = "a$b" }, false},
		"a foreign host":    {func(r *http.Request) { r.Host = "bücher.example" }, false},
		"a strange query":   {func(r *http.Request) { r.URL.RawQuery = "a b" }, false},
	} {
		req, err := http.NewRequest("GET", "http://shop/a?b", nil)
		if err != nil {
			t.Fatal(err)
		}
		tt.change(req)
		if got := direct.Takes(req); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The request comes as net/http writes it, but for the order of its header.
func TestWritten(t *testing.T) {
	s := serve(t, always(ok))
	like := &http.Transport{DisableCompression: true}
	defer like.CloseIdleConnections()
	for name, change := range map[string]func(*http.Request){
		"plain":    func(r *http.Request) {},
		"values":   func(r *http.Request) { r.Header["A"] = []string{" b ", "", "c\td", "\xff"} },
		"no value": func(r *http.Request) { r.Header["A"] = nil },
		"left out": func(r *http.Request) { r.Header["Content-Length"], r.Header["Host"] = []string{"0"}, []string{"x"} },
		"agents":   func(r *http.Request) { r.Header["User-Agent"] = []string{"a", "b"} },
		"host":     func(r *http.Request) { r.Host = "else.where:81" },
		"bare":     func(r *http.Request) { r.URL.Path, r.URL.RawQuery = "", "" },
		"query":    func(r *http.Request) { r.URL.RawQuery, r.URL.ForceQuery = "", true },
		"escaped":  func(r *http.Request) { r.URL.Path, r.URL.RawPath = "/a/b c", "/a%2Fb%20c" },
		"last":     func(r *http.Request) { r.Close = true },
		"HEAD":     func(r *http.Request) { r.Method = "HEAD" },
	} {
		var heads [2][]string
		for i, rt := range []http.RoundTripper{s.client(), like} {
			req := s.request(t.Context(), "GET")
			req.Header.Set("User-Agent", "")
			change(req)
			get(rt, req)
			heads[i] = strings.Split(s.heads[len(s.heads)-1], "\r\n")
			slices.Sort(heads[i][1:])
		}
		if !slices.Equal(heads[0], heads[1]) {
			t.Errorf("%s: %q, net/http %q", name, heads[0], heads[1])
		}
	}
}
