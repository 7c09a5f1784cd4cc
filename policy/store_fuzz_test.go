package policy

import (
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// Whatever is accepted as the URL of a store is one to the client as well, and its
// password is in no text.
func FuzzStoreURL(f *testing.F) {
	for _, s := range []string{"redis://cache", "redis://u:geheim@[::1]:6379/3", "rediss://:g%23@h/", "unix:///run/s?db=3", "unix://u:p@/s", "redis://h:1/+2", "redis://a@b@c", "redis:///0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		s := StoreURL(raw)
		if s.fault() != nil {
			return
		}
		o, err := redis.ParseURL(raw)
		if err != nil {
			t.Fatalf("%q is accepted, and the client says %v", raw, err)
		}
		if text := s.String(); o.Password != "" && strings.Contains(raw, ":"+o.Password+"@") && strings.Contains(text, ":"+o.Password+"@") {
			t.Errorf("%q is printed as %q", raw, text)
		}
		again := StoreURL(s.String())
		if again.fault() != nil || again.String() != string(again) {
			t.Errorf("%q is shown as %q, which is no URL of a store: %v", raw, again, again.fault())
		}
	})
}
