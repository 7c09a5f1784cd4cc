package policy

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/golden"
)

// environment is that of the files in testdata.
func environment(name string) (string, bool) {
	value, ok := map[string]string{
		"NAME": "the shop: $5", "REC": "recommend.internal", "TIME": "2s", "EMPTY": "",
		"WORDS": "some words", "LIST": "[1s, 2s]", "NULL": "null", "INJECTED": "x\nversion: 2", "SEVEN": "7", "REFERENCE": "${SEVEN}",
	}[name]
	return value, ok
}

func load(path string) (*Policy, error) { return Load(path, WithEnv(environment)) }

func parse(t *testing.T, text string) *Policy {
	t.Helper()
	p, err := Parse("p", []byte(text), WithEnv(environment))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// faultsOf returns what is wrong with a text, line by line.
func faultsOf(text string) string {
	_, err := Parse("p", []byte(text), WithEnv(environment))
	if err == nil {
		return ""
	}
	return err.Error()
}

func testdata(t *testing.T, kind string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", kind, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	return files
}

// TestFaults reads every file in testdata/faults; beside it stands what is said.
func TestFaults(t *testing.T) {
	for _, file := range testdata(t, "faults") {
		p, err := load(file)
		faults, ok := errors.AsType[Faults](err)
		if !ok {
			t.Errorf("%s has no faults: %v", file, err)
			continue
		}
		sources := map[string][]byte{}
		for _, f := range p.Files {
			sources[f], _ = os.ReadFile(f)
		}
		golden.Check(t, strings.TrimSuffix(file, ".yaml")+".want", faults.Pretty(sources))
		if len(p.Dependencies) > 0 || p.Version != 0 {
			t.Errorf("%s: a faulty policy has settings", file)
		}
		if p.Fault("service.name", "", "").Line != 0 || len(p.YAML()) == 0 {
			t.Errorf("%s: a faulty policy has places", file)
		}
	}
}

// TestShown reads every file in testdata/good; beside it stands what is in force.
func TestShown(t *testing.T) {
	for _, file := range testdata(t, "good") {
		p, err := load(file)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		base := strings.TrimSuffix(file, ".yaml")
		golden.Check(t, base+".shown", string(p.YAML()))
		golden.Check(t, base+".json", string(p.JSON()))
		sameShown(t, p)
	}
}

// sameShown checks that a policy as it is shown is one that means the same.
func sameShown(t interface{ Errorf(string, ...any) }, p *Policy, options ...Option) {
	compact := p.show().json(nil)
	for kind, text := range map[string][]byte{"YAML": p.YAML(), "JSON": compact} {
		again, err := Parse(p.Path, text, append(options, WithEnv(func(string) (string, bool) { return "", false }))...)
		if err != nil {
			t.Errorf("as %s it has faults: %v\n%s", kind, err, text)
			continue
		}
		if got := again.show().json(nil); string(got) != string(compact) {
			t.Errorf("as %s it is another:\n%s\nwas\n%s", kind, got, compact)
		}
		for name, d := range p.Dependencies.All() {
			other, _ := again.Dependencies.Get(name)
			if d.Config().Effective() != other.Config().Effective() || p.Fingerprint(name) != again.Fingerprint(name) {
				t.Errorf("as %s %s is guarded by\n%+v\nwas\n%+v", kind, name, other.Config().Effective(), d.Config().Effective())
			}
		}
	}
}

func TestStarter(t *testing.T) {
	p, err := Parse("policy.yaml", Starter, WithEnv(func(string) (string, bool) { return "", false }))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Dependencies) != 4 {
		t.Errorf("%d dependencies", len(p.Dependencies))
	}
	sameShown(t, p)
	if _, err := p.Build(nil); err != nil {
		t.Error(err)
	}
}

func TestClasses(t *testing.T) {
	for text, check := range map[string]func(Dependency) bool{
		"{}": func(d Dependency) bool {
			return d.Config() == FromConfig(d.Config()).Config() && d.Breaker == Dependency{}.Breaker
		},
		"{class: core_read, p99: 80ms}":   func(d Dependency) bool { return d.Timeout.Attempt == 160*time.Millisecond },
		"{class: standard, p99: 1h}":      func(d Dependency) bool { return d.Timeout.Attempt == 3*time.Hour },
		"{class: standard, breaker: off}": func(d Dependency) bool { return !d.Breaker.Enabled() && d.Retry.Attempts == 3 },
		"{class: standard, breaker: {trickle: off}}": func(d Dependency) bool {
			return d.Breaker.Trickle == Dependency{}.Breaker.Trickle && d.Breaker.Consecutive == 5
		},
		"{class: standard, breaker: null}":          func(d Dependency) bool { return d.Breaker.Enabled() },
		"{class: standard, breaker: {calls: 30}}":   func(d Dependency) bool { return d.Breaker.Window == 0 && d.Breaker.Calls == 30 },
		"{class: standard, breaker: {calls: 0}}":    func(d Dependency) bool { return d.Breaker.Window == time.Second },
		"{class: standard, budget: {kind: ratio}}":  func(d Dependency) bool { return d.Budget.Max == 0 && d.Budget.Kind == "ratio" },
		"{class: standard, budget: {max: 5}}":       func(d Dependency) bool { return d.Budget.Max == 5 && d.Budget.Kind == "earning" },
		"{class: standard, bulkhead: {pool: p}}":    func(d Dependency) bool { return d.Bulkhead.Limit == 0 && d.Bulkhead.Share().Queue == 10 },
		"{class: standard, bulkhead: {pool: null}}": func(d Dependency) bool { return d.Bulkhead.Limit == 10 },
		"{class: standard, retry: {base: 1ms}}":     func(d Dependency) bool { return d.Retry.Attempts == 3 && d.Retry.Base == time.Millisecond },
	} {
		d, _ := parse(t, "version: 1\npools: {p: {size: 5}}\ndependencies:\n  a: "+text+"\n").Dependencies.Get("a")
		if !check(d) {
			t.Errorf("%s is\n%+v", text, d)
		}
	}
}

func TestListen(t *testing.T) {
	for text, fault := range map[string]string{
		"{}": "",
		"{egress: localhost:0, admin: '[::1]:0'}":               "",
		"{egress: '[::ffff:127.0.0.1]:8'}":                      "",
		"{egress: 127.9.9.9:8}":                                 "",
		"{egress: '0.0.0.0:8', exposed: true}":                  "",
		"{admin: 'unix:/x'}":                                    "",
		"{ingress: {address: ':80', to: 'http://localhost:1'}}": "",
		"{egress_tls: {cert: c, key: k, client_ca: a}}":         "",
		"{egress_tls: {cert: c}}":                               "egress_tls.key: must be given with a cert",
		"{egress_tls: {key: k}}":                                "egress_tls.cert: must be given with a key",
		"{egress_tls: {client_ca: a}}":                          "egress_tls.client_ca: has no effect without cert and key",
		"{egress_tls: {ca: a}}":                                 "egress_tls.ca: unknown key",
		"{ingress: {tls: {cert: c, key: k}}}":                   "ingress.address: must be given",
		"{ingress: {address: ':80', to: 'http://localhost:1', tls: {cert: c, key: k}}}": "",
		"{ingress: {address: ':80', to: 'http://localhost:1', tls: {key: k}}}":          "ingress.tls.cert: must be given with a key",
		"{egress: '0.0.0.0:8'}":                      "egress: other machines reach 0.0.0.0:8",
		"{egress: ':8'}":                             "egress: other machines reach :8",
		"{egress: 'example.com:8'}":                  "egress: other machines reach example.com:8",
		"{egress: '10.0.0.1:8'}":                     "egress: other machines reach 10.0.0.1:8",
		"{egress: '127.0.0.1'}":                      "egress: must be HOST:PORT",
		"{egress: 'localhost:http'}":                 "egress: must have a port between",
		"{exposed: true}":                            "exposed: has no effect",
		"{admin: ':8', exposed: true, egress: ':9'}": "admin: other machines reach :8",
		"{admin: 'unix:'}":                           "admin: must have a path",
		"{admin: '127.0.0.1:15001'}":                 "admin: must not be the address of egress",
		"{ingress: {address: ':80'}}":                "ingress.to: must be given",
		"{ingress: {trust_forwarded: true}}":         "ingress.address: must be given",
		"{ingress: {concurrent: 3}}":                 "ingress.concurrent: unknown key",
		"{ingress: {address: '127.0.0.1:15000', to: 'http://localhost:1'}}": "ingress.address: must not be the address of admin",
	} {
		got := faultsOf("version: 1\nlisten: " + text + "\n")
		if fault == "" && got != "" || !strings.Contains(got, "listen."+fault) && fault != "" {
			t.Errorf("%s: %q, want %q", text, got, fault)
		}
	}
}

// Faults of a file made in Go are those of the same one that was read.
func TestValidate(t *testing.T) {
	f := File{
		Version: 1, Service: Service{Workers: -1},
		Layers:       Layers{Callers: Map[Caller]{{Key: "a b"}}},
		Pools:        Map[Pool]{{Key: "p", Value: Pool{Size: 1}}},
		Dependencies: Map[Dependency]{{Key: "a", Value: Dependency{URL: OneOrMore{"x"}, Bulkhead: Bulkhead{Pool: "p", Guaranteed: 2}}}},
		Listen:       Listen{Admin: ":1"}, Allow: []Allow{{}},
	}
	f.Dependencies[0].Value.Timeout.Total = -1
	want := []string{
		`service.workers: must not be negative, is -1`,
		`layers.callers["a b"].wait: must be above 0s, is 0s`,
		`dependencies.a.url: must be an absolute URL, such as http://host:8080, is "x"`,
		`dependencies.a.timeout.total: must not be negative, is -1ns`,
		`listen.admin: other machines reach :1 and could command the sidecar; write 127.0.0.1 before the port, or unix:PATH`,
		`allow[0].check: must not be empty`,
		`allow[0].reason: must not be empty`,
		`layers.callers["a b"]: a name has letters, digits, _ and -, and at most 63 of them`,
		`dependencies.a.bulkhead.guaranteed: must be at most what is left of the pool (1 of 1), is 2`,
	}
	if got := f.Validate().Error(); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func TestStaticFiles(t *testing.T) {
	p, err := load("testdata/good/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	d, _ := p.Dependencies.Get("recommend")
	if got := string(d.Fallback.Static.Content()); got != "[]\n" {
		t.Errorf("content %q", got)
	}
	if s := d.Fallback.Static.Effective(); s.ContentType != "application/json" || s.Status != 203 {
		t.Errorf("%+v", s)
	}
	if !slices.Contains(p.Files, filepath.FromSlash("testdata/good/parts/answer.json")) {
		t.Errorf("files %v", p.Files)
	}
	if (Static{Body: "x"}).Effective().ContentType != "text/plain; charset=utf-8" {
		t.Error("a body is no plain text")
	}
}
