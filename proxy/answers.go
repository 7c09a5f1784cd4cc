package proxy

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/fallback"
	"github.com/stanch-go/stanch/policy"
)

// The names of the alternatives, which Stanch-Source says.
const (
	sourceLastGood = "last_good"
	sourceStatic   = "static"
	sourceEmpty    = "empty"
	sourceHidden   = "hidden"
)

type alternative = stanch.Alternative[*http.Response]

// answers are the alternatives of a dependency.
type answers struct {
	reads  []alternative // for GET and HEAD
	writes []alternative // for all else: what does not pretend that something was done
	last   *lastGood     // nil when there is none
}

// prepare makes the alternatives. Answers that were kept are taken over if they
// are still of the same dependency.
func (r *route) prepare(old *route) (answers, error) {
	var a answers
	f := r.dep.Fallback
	if f.LastGood != nil {
		if old != nil && old.answers.last != nil && old.answers.last.cfg == *f.LastGood && sameURLs(old, r) {
			a.last = old.answers.last
		} else {
			var err error
			if a.last, err = newLastGood(*f.LastGood); err != nil {
				return a, err
			}
		}
		a.reads = append(a.reads, stanch.Or(sourceLastGood, a.last.load))
	}
	if f.Static != nil {
		static := made(sourceStatic, f.Static.Status, f.Static.ContentType, f.Static.Content())
		a.reads = append(a.reads, static)
		a.writes = append(a.writes, static)
	}
	if body, ok := empties[f.Empty]; ok {
		a.reads = append(a.reads, made(sourceEmpty, http.StatusOK, "application/json", []byte(body)))
	}
	if f.Hidden {
		a.reads = append(a.reads, made(sourceHidden, http.StatusNoContent, "", nil))
	}
	return a, nil
}

var empties = map[policy.Empty]string{policy.EmptyObject: "{}", policy.EmptyArray: "[]", policy.EmptyText: `""`}

func sameURLs(a, b *route) bool {
	if len(a.targets) != len(b.targets) {
		return false
	}
	for i := range a.targets {
		if *a.targets[i] != *b.targets[i] {
			return false
		}
	}
	return true
}

// to returns the alternatives of a request. gRPC and upgrades have none: no
// answer of HTTP is one to them.
func (a answers) to(req *http.Request) []alternative {
	x := exchangeOf(req.Context())
	switch {
	case x.grpc || req.Header.Get("Upgrade") != "":
		return nil
	case req.Method == http.MethodGet || req.Method == http.MethodHead:
		return a.reads
	}
	return a.writes
}

// made is an alternative that is always the same.
func made(name string, status int, contentType string, body []byte) alternative {
	return stanch.Or(name, fallback.Loader[*http.Response](func(context.Context) (*http.Response, error) {
		h := http.Header{}
		if body != nil {
			h.Set("Content-Type", contentType)
		}
		return response(status, h, body), nil
	}))
}

// response is an answer from memory.
func response(status int, h http.Header, body []byte) *http.Response {
	if body != nil {
		h.Set("Content-Length", strconv.Itoa(len(body)))
	}
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}
}
