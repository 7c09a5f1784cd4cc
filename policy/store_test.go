package policy

import (
	"fmt"
	"strings"
	"testing"
)

func TestStoreURL(t *testing.T) {
	for url, fault := range map[StoreURL]string{
		"redis://cache":                       "",
		"redis://cache:6379/2":                "",
		"redis://user:pass@cache:6379":        "",
		"rediss://:p%23w@[::1]:6379/":         "",
		"unix:///run/redis.sock":              "",
		"unix://user:pass@/run/redis.sock":    "",
		"unix:///run/redis.sock?db=3":         "",
		"":                                    "must be redis://",
		"cache:6379":                          "must be redis://",
		"http://cache":                        "must be redis://",
		"redis:cache":                         "must be redis://",
		"redis://":                            "must be redis://",
		"redis://:6379":                       "must have a host",
		"redis://cache:0":                     "must have a host, and a port",
		"redis://cache:99999":                 "must have a host, and a port",
		"redis://cache/one":                   "must have no path but",
		"redis://cache/-1":                    "must have no path but",
		"redis://cache/1/2":                   "must have no path but",
		"redis://cache?pool_size=3":           "must not have a query",
		"redis://cache#1":                     "must not have a fragment",
		"redis://:pa/ss@cache":                "must be a URL",
		"unix://run/redis.sock":               "must have the path of a socket",
		"unix:///run/a@b":                     "must write an @ in a path as %40",
		"unix:/run/redis.sock":                "must be redis://",
		"REDIS://cache":                       "must be redis://",
		"unix://":                             "must have the path of a socket",
		"unix:///run/redis.sock?db=x":         "must have no query but",
		"unix:///run/redis.sock?db=1&db=2":    "must have no query but",
		"unix:///run/redis.sock?db=1&x=pass2": "must have no query but",
	} {
		got := url.fault()
		if fault == "" && got != nil || fault != "" && (got == nil || !strings.HasPrefix(got.Error(), fault)) {
			t.Errorf("%s: %v, want %q", string(url), got, fault)
		}
		if got != nil && strings.Contains(got.Error(), "pass") && !strings.Contains(got.Error(), "a password") {
			t.Errorf("%s: the fault has the password: %v", string(url), got)
		}
	}
}

// However a password is written, and whether or not the URL is one, no text has it.
func TestStoreURLHidesPasswords(t *testing.T) {
	for url, want := range map[StoreURL]string{
		"redis://cache:6379/2":              "redis://cache:6379/2",
		"redis://geheim@cache":              "redis://xxxxx@cache",
		"redis://user:geheim@cache:6379/0":  "redis://xxxxx@cache:6379/0",
		"redis://:ge@heim@cache":            "redis://xxxxx@cache",
		"redis://:geheim/x@cache":           "redis://xxxxx@cache",
		"redis://:geheim#x@cache?y":         "redis://xxxxx@cache?y",
		"redis:geheim@cache":                "xxxxx@cache",
		"geheim@cache":                      "xxxxx@cache",
		"unix://:geheim@/run/redis.sock":    "unix://xxxxx@/run/redis.sock",
		"redis://:geheim://geheim@cache%zz": "redis://xxxxx@cache%zz",
	} {
		if got := fmt.Sprintf("%s|%v|%q", url, url, url); got != fmt.Sprintf("%s|%s|%q", want, want, want) {
			t.Errorf("%s is printed as %s", string(url), got)
		}
	}
	p := parse(t, `version: 1
inbound: {quotas: {api: {mode: central, rate: 5, store: "redis://user:geheim@cache:6379"}}}
`)
	for kind, text := range map[string]string{
		"YAML": string(p.YAML()), "JSON": string(p.JSON()), "%v": fmt.Sprintf("%v", p.Inbound.Quotas), "%+v": fmt.Sprintf("%+v", *p.Inbound),
		"faults": faultsOf("version: 1\ninbound: {quotas: {api: {mode: central, rate: 5, store: \"redis://user:geheim@cache:x\"}, b: {store: [\"redis://:geheim@a\"]}}}\n"),
	} {
		if text == "" || strings.Contains(text, "geheim") {
			t.Errorf("%s has the password:\n%s", kind, text)
		}
	}
	if q, _ := p.Inbound.Quotas.Get("api"); string(q.Store) != "redis://user:geheim@cache:6379" {
		t.Errorf("whoever asks the store has no password: %q", string(q.Store))
	}
}
