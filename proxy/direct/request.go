package direct

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Takes reports whether a Transport can send the request: a GET, HEAD or OPTIONS
// without a body to an http URL, that asks for nothing but an answer.
func Takes(req *http.Request) bool {
	switch req.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
	default:
		return false
	}
	if req.URL.Scheme != "http" || req.URL.Opaque != "" || req.ContentLength != 0 || req.Body != nil && req.Body != http.NoBody ||
		len(req.TransferEncoding) > 0 || len(req.Trailer) > 0 || !inHost.all(hostOf(req)) || !inTarget.all(req.URL.RawQuery) {
		return false
	}
	for _, name := range special {
		if _, ok := req.Header[name]; ok {
			return false
		}
	}
	return true
}

// special are the headers that ask for more than an answer.
var special = [...]string{"Upgrade", "Connection", "Expect", "Te", "Trailer", "Transfer-Encoding"}

// errInvalid is a request that is not sent. net/http would not send it either.
var errInvalid = errors.New("invalid request")

// appendHead appends the request as it is sent.
func appendHead(b []byte, req *http.Request) ([]byte, error) {
	target, host := req.URL.RequestURI(), hostOf(req)
	if !inName.all(req.Method) {
		return b, fmt.Errorf("%w: method %q", errInvalid, req.Method)
	}
	if !inTarget.all(target) {
		return b, fmt.Errorf("%w: target %q", errInvalid, target)
	}
	if host == "" || !inHost.all(host) {
		return b, fmt.Errorf("%w: host %q", errInvalid, host)
	}
	b = append(append(append(b, req.Method...), ' '), target...)
	b = append(append(append(b, " HTTP/1.1\r\nHost: "...), host...), "\r\n"...)
	if req.Close {
		b = append(b, "Connection: close\r\n"...)
	}
	for name, values := range req.Header {
		switch name {
		case "Host", "Content-Length":
			continue // ours to say
		case "User-Agent":
			if len(values) == 0 || values[0] == "" {
				continue // which is how one says that there is none
			}
			values = values[:1]
		}
		if name == "" || !inName.all(name) {
			return b, fmt.Errorf("%w: header name %q", errInvalid, name)
		}
		for _, v := range values {
			if !inValue.all(v) {
				return b, fmt.Errorf("%w: value of header %q", errInvalid, name) // which may be secret
			}
			b = append(append(append(append(b, name...), ": "...), strings.Trim(v, " \t")...), "\r\n"...)
		}
	}
	return append(b, "\r\n"...), nil
}

func hostOf(req *http.Request) string {
	if req.Host != "" {
		return req.Host
	}
	return req.URL.Host
}
