package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
)

// Fingerprint is the same for two policies when a dependency is called and
// guarded in the same way by both: with the same settings, whether given, by
// class or by default, the same answers instead, and the same size of its pool.
// It is empty when there is no such dependency.
func (f *File) Fingerprint(dependency string) string {
	d, ok := f.Effective().Dependencies.Get(dependency)
	if !ok {
		return ""
	}
	// What is of no effect for a call.
	d.Class, d.P50, d.P99, d.Allow = "", 0, 0, nil
	digest := sha256.New()
	if s := d.Fallback.Static; s != nil {
		digest.Write(s.Content())
		s.File, s.Body = "", ""
	}
	settings, _ := shower{}.value("", reflect.ValueOf(d), reflect.Value{}, nil)
	digest.Write(settings.json(nil))
	if pool, ok := f.Pools.Get(d.Bulkhead.Pool); ok {
		size, _ := shower{}.value("", reflect.ValueOf(pool), reflect.Value{}, nil)
		digest.Write(size.json(nil))
	}
	return hex.EncodeToString(digest.Sum(nil)[:6])
}
