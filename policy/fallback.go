package policy

import (
	"cmp"
	"mime"
	"path/filepath"
	"time"

	"github.com/stanch-go/stanch/fallback"
	"github.com/stanch-go/stanch/internal/strict"
)

// Fallback says what is answered when the dependency's answer is not to be had,
// and within which limits. Those that are given are tried in the order of the
// fields.
type Fallback struct {
	fallback.Limits `yaml:",inline"`
	// LastGood answers with the last good answer to the same request.
	LastGood *LastGood `yaml:"last_good"`
	// Static answers with a file or a text.
	Static *Static `yaml:"static"`
	// Empty answers 200 with an empty JSON value of this kind. Default none.
	Empty Empty `yaml:"empty"`
	// Hidden answers 204: the part is left out. Default false.
	Hidden bool `yaml:"hidden"`
}

// Empty is a kind of empty JSON value.
type Empty string

// The kinds: {}, [] and "".
const (
	EmptyObject Empty = "object"
	EmptyArray  Empty = "array"
	EmptyText   Empty = "text"
)

// Values lists what a policy file may say.
func (Empty) Values() []string {
	return []string{string(EmptyObject), string(EmptyArray), string(EmptyText)}
}

// Any reports whether there is any alternative.
func (f Fallback) Any() bool {
	return f.LastGood != nil || f.Static != nil || f.Empty != "" || f.Hidden
}

// Validate returns every fault of the alternatives.
func (f Fallback) Validate() error {
	var p problems
	p.join(f.Limits.Validate())
	if f.LastGood != nil {
		p.below("last_good", f.LastGood.Validate())
	}
	if f.Static != nil {
		p.below("static", f.Static.Validate())
	}
	switch f.Empty {
	case "", EmptyObject, EmptyArray, EmptyText:
	default:
		p.add("empty", "must be %s, %s or %s, is %q", EmptyObject, EmptyArray, EmptyText, string(f.Empty))
	}
	// What always answers leaves nothing to those after it.
	p.check(f.Empty == "" || f.Static == nil, "empty", "has no effect after static, which always answers")
	p.check(!f.Hidden || f.Static == nil && f.Empty == "", "hidden", "has no effect after static or empty, which always answer")
	return p.err()
}

// LastGood keeps answers in memory.
type LastGood struct {
	// MaxAge is how old an answer may be and still be given. Default 1h. Range:
	// 0s or more.
	MaxAge time.Duration `yaml:"max_age"`
	// MaxBytes bounds all kept answers together. Default 64MiB. Range: 0B or more.
	MaxBytes strict.Size `yaml:"max_bytes"`
	// Private keeps answers to requests with credentials, or marked private, as
	// well. They are then told apart by the credentials. Default false.
	Private bool `yaml:"private"`
}

// Validate returns every fault of the bounds.
func (l LastGood) Validate() error {
	var p problems
	notNegative(&p, "max_age", l.MaxAge)
	p.check(l.MaxBytes >= 0, "max_bytes", "must not be negative, is %v", l.MaxBytes)
	return p.err()
}

// Static is an answer that does not change.
type Static struct {
	// File has the answer. It is read when the policy is, and may have 1 MiB; a
	// path is relative to the file that names it. Default none.
	File string `yaml:"file"`
	// Body is the answer itself, instead of a file. Default none.
	Body string `yaml:"body"`
	// ContentType is that of the answer. Default: by the file's name, else
	// text/plain; charset=utf-8.
	ContentType string `yaml:"content_type"`
	// Status is that of the answer. Default 200. Range: 200 to 599, without 204 and 304.
	Status int `yaml:"status"`

	path    string // File as seen from here
	content []byte // of File
}

// Validate returns every fault of the answer.
func (s Static) Validate() error {
	var p problems
	p.check(s.File == "" || s.Body == "", "body", "must not be given together with a file")
	p.check(s.File != "" || s.Body != "", "file", "must be given, or a body")
	_, _, err := mime.ParseMediaType(s.ContentType)
	p.check(s.ContentType == "" || err == nil, "content_type", "must be a media type, such as application/json, is %q", s.ContentType)
	p.check(s.Status == 0 || s.Status >= 200 && s.Status <= 599 && s.Status != 204 && s.Status != 304, "status",
		"must be between 200 and 599 and of an answer with a body, is %d", s.Status)
	return p.err()
}

// Content is the answer: Body, or what was in File when the policy was read.
func (s Static) Content() []byte {
	if s.File != "" {
		return s.content
	}
	return []byte(s.Body)
}

// Effective returns s with the defaults filled in.
func (s Static) Effective() Static {
	s.Status = cmp.Or(s.Status, 200)
	s.ContentType = cmp.Or(s.ContentType, mime.TypeByExtension(filepath.Ext(s.File)), "text/plain; charset=utf-8")
	return s
}

// Effective returns l with the defaults filled in.
func (l LastGood) Effective() LastGood {
	full := fallback.StoreConfig{MaxAge: l.MaxAge, MaxBytes: int64(l.MaxBytes)}.Effective()
	l.MaxAge, l.MaxBytes = full.MaxAge, strict.Size(full.MaxBytes)
	return l
}

// Effective returns f with the defaults filled in. Where there is neither an
// alternative nor a limit it stays as it is.
func (f Fallback) Effective() Fallback {
	if f == (Fallback{}) {
		return f
	}
	f.Limits = f.Limits.Effective()
	if f.LastGood != nil {
		f.LastGood = new(f.LastGood.Effective())
	}
	if f.Static != nil {
		f.Static = new(f.Static.Effective())
	}
	return f
}
