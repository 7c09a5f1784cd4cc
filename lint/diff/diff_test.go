package diff

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stanch-go/stanch/internal/golden"
	"github.com/stanch-go/stanch/lint"
	"github.com/stanch-go/stanch/policy"
)

func checked(t *testing.T, name string) *lint.Report {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return parsed(t, name, string(text))
}

func parsed(t *testing.T, name, text string) *lint.Report {
	t.Helper()
	p, err := policy.Parse(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return lint.Check(p)
}

// TestOneLine is the change that once took a service down: a timeout of 3 s
// became one of 30. The first line says what that does.
func TestOneLine(t *testing.T) {
	d := Compare(checked(t, "3s.yaml"), checked(t, "30s.yaml"))
	const want = "platform: served when it hangs: 66.7 -> 6.7 requests/s (x0.1)"
	if got := d.Headline(); got != want {
		t.Errorf("the headline is %q, want %q", got, want)
	}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"oneline":          func(b *bytes.Buffer) error { return d.Text(b) },
		"oneline.markdown": func(b *bytes.Buffer) error { return d.Markdown(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if first, _, _ := strings.Cut(b.String(), "\n"); !strings.Contains(first, "66.7 -") || !strings.Contains(first, "6.7 requests/s") {
			t.Errorf("%s: the first line is %q", name, first)
		}
		golden.Check(t, "testdata/"+name+".golden", b.String())
	}
}

func TestMany(t *testing.T) {
	d := Compare(checked(t, "before.yaml"), checked(t, "after.yaml"))
	var text, markdown bytes.Buffer
	if err := d.Text(&text); err != nil {
		t.Fatal(err)
	}
	if err := d.Markdown(&markdown); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/many.golden", text.String())
	golden.Check(t, "testdata/many.markdown.golden", markdown.String())
}

func TestHeadlines(t *testing.T) {
	const base = "version: 1\nservice: {workers: 20}\ndependencies:\n"
	standard := base + "  a: {class: standard}\n"
	for _, c := range []struct{ name, old, new, want string }{
		{"the same", standard, "# moved\n" + standard, "nothing changes that is in force"},
		{"a setting", standard, strings.Replace(standard, "{workers", "{name: shop, workers", 1), "1 setting changes, and neither a sum nor a rule"},
		{"a rule", standard, base + "  a: {class: standard, retry: {jitter: none}, fallback: {timeout: 9s}}\n", "2 rules are newly broken, and no sum changes"},
		{"a rule mended", base + "  a: {class: standard, retry: {jitter: none}}\n", standard, "1 rule is mended, and no sum changes"},
		{"a dependency", standard, standard + "  b: {class: side_path}\n", "dependencies come or go, the others keep their sums"},
		{"only better", base + "  a: {timeout: {attempt: 2s}}\n", base + "  a: {timeout: {attempt: 200ms}}\n", "a: served when it hangs: 10 -> 100 requests/s (x10)"},
		{"no end", base + "  a: {timeout: {attempt: 2s}}\n", base + "  a: {url: \"http://a\"}\n", "a: served when it hangs: 10 -> 0 requests/s"},
		{"a bulkhead keeps workers free", base + "  a: {timeout: {attempt: 2s}}\n", base + "  a: {timeout: {attempt: 2s}, bulkhead: {limit: 5}}\n", "a: workers that it can hold: 20 -> 5 (x0.25)"},
		{
			"worse before better", base + "  a: {timeout: {attempt: 9s}}\n  b: {timeout: {attempt: 1s}}\n", base + "  a: {timeout: {attempt: 1s}}\n  b: {timeout: {attempt: 2s}}\n",
			"b: served when it hangs: 20 -> 10 requests/s (x0.5)",
		},
	} {
		if got := Compare(parsed(t, "p", c.old), parsed(t, "p", c.new)).Headline(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestBackwards: what a change breaks its undoing mends, and the other way round.
func TestBackwards(t *testing.T) {
	a, b := checked(t, "before.yaml"), checked(t, "after.yaml")
	there, back := Compare(a, b), Compare(b, a)
	if len(there.Settings) != len(back.Settings) || len(there.Dependencies) != len(back.Dependencies) || there.Same != back.Same {
		t.Errorf("%d settings and %d dependencies change, back %d and %d", len(there.Settings), len(there.Dependencies), len(back.Settings), len(back.Dependencies))
	}
	for _, f := range there.Broken {
		if len(without([]lint.Finding{f}, back.Mended)) != 0 {
			t.Errorf("%v is broken and not mended", f)
		}
	}
	none := Compare(a, a)
	if len(none.Settings)+len(none.Dependencies)+len(none.Broken)+len(none.Mended) != 0 {
		t.Errorf("nothing changes, but %+v", none)
	}
}

// TestMarkdownEscapes: what a file says is text in a comment, and nothing more.
func TestMarkdownEscapes(t *testing.T) {
	d := Compare(
		parsed(t, "p", "version: 1\nservice: {name: a}\n"),
		parsed(t, "p", "version: 1\nservice: {name: \"b|<img>*_`[x](y)\"}\n"),
	)
	var b bytes.Buffer
	if err := d.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	if want := "| `service.name` | a | b\\|&lt;img>\\*\\_\\`\\[x](y) |"; !strings.Contains(b.String(), want) {
		t.Errorf("no %s in\n%s", want, b.String())
	}
}

// TestInbound: what is taken in is part of what changes, and a password is not.
func TestInbound(t *testing.T) {
	const base = "version: 1\nservice: {instances: 3}\n"
	before := parsed(t, "before", base+`inbound:
  limits: {login: {route: POST /login, by: address, rate: 5}}
  quotas: {api: {mode: central, rate: 50, instances: 3, store: "redis://:geheim@one"}}
  priorities: {routes: {/a.b: critical}}
  concurrency: {limit: 20}
`)
	after := parsed(t, "after", base+`inbound:
  limits: {login: {route: POST /login, by: address, rate: 10}}
  quotas: {api: {mode: central, rate: 50, instances: 3, store: "redis://:anders@two"}}
  priorities: {routes: {/a.b: sheddable}}
  concurrency: {limit: 40, adaptive: {min: 50}}
`)
	d := Compare(before, after)
	var got []string
	for _, s := range d.Settings {
		got = append(got, s.Path+": "+orAbsent(s.Old)+" -> "+orAbsent(s.New))
	}
	text := strings.Join(got, "\n")
	for _, want := range []string{
		"inbound.limits.login.rate: 5 -> 10", "inbound.limits.login.burst: 5 -> 10", "inbound.priorities.routes./a.b: critical -> sheddable",
		"inbound.quotas.api.store: redis://xxxxx@one -> redis://xxxxx@two", "inbound.concurrency.limit: 20 -> 40", "inbound.concurrency.adaptive.min: (none) -> 50",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if len(d.Broken) != 1 || d.Broken[0].Rule.Code != "ST716" || !strings.Contains(d.Headline(), "1 rule is newly broken") {
		t.Errorf("%s: %v", d.Headline(), d.Broken)
	}
}
