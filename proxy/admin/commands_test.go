package admin_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch/proxy"
)

// A problem is what a faulty command is answered with.
type problem struct {
	Title, Detail string
	Status        int
	Fields        []struct {
		Field, Fault string
		Allowed      []string
	}
}

const asJSON = "application/json"

func TestCommands(t *testing.T) {
	for _, c := range []struct {
		name, method, path, kind, body string
		code                           int
		want                           string // in the answer, or of a problem "field" or "field: allowed"
	}{
		{"open", "POST", "/breaker/shop", "", "state=open", 200, `"breaker": "forced-open"`},
		{"closed", "POST", "/breaker/shop", "", "state=closed", 200, `"breaker": "forced-closed"`},
		{"auto", "POST", "/breaker/shop", "", "state=auto", 200, `"breaker": "closed"`},
		{"by JSON", "POST", "/breaker/shop", asJSON, `{"state":"open"}`, 200, `"forced-open"`},
		{"no state", "POST", "/breaker/shop", "", "", 400, "state: open,closed,auto"},
		{"another state", "POST", "/breaker/shop", "", "state=ajar", 400, "state: open,closed,auto"},
		{"a field too many", "POST", "/breaker/shop", "", "state=open&for=3s", 400, "for: state"},
		{"no breaker", "POST", "/breaker/mail", "", "state=open", 409, "no breaker"},
		{"no dependency", "POST", "/breaker/none", "", "state=open", 404, "dependency: shop,mail"},
		{"the ingress is none", "POST", "/breaker/ingress:news", "", "state=open", 404, "dependency: shop,mail"},
		{"by GET", "GET", "/breaker/shop?state=open", "", "", 405, ""},
		{"by query", "POST", "/breaker/shop?state=open", "", "", 400, "state: open,closed,auto"},
		{"another type", "POST", "/breaker/shop", "text/plain", "state=open", 415, "application/json"},
		{"broken JSON", "POST", "/breaker/shop", asJSON, `{"state":`, 400, "cannot be read"},
		{"a list", "POST", "/breaker/shop", asJSON, `["open"]`, 400, "cannot be read"},
		{"a list in a field", "POST", "/breaker/shop", asJSON, `{"state":["open"]}`, 400, "state"},
		{"too long", "POST", "/breaker/shop", "", "state=" + strings.Repeat("o", 5000), 413, "4 KiB"},
		{"too long JSON", "POST", "/breaker/shop", asJSON, `{"state":"` + strings.Repeat("o", 5000) + `"}`, 413, "4 KiB"},

		{"delay", "POST", "/faults/shop", "", "kind=delay&delay=300ms&share=0.25&for=5m", 200, `"delay": "300ms"`},
		{"delay by default", "POST", "/faults/shop", "", "kind=delay", 200, `"delay": "2s"`},
		{"fields of a form that are empty", "POST", "/faults/shop", "", "kind=delay&delay=&status=&share=&for=", 200, `"share": 1`},
		{"abort", "POST", "/faults/mail", "", "kind=abort&status=429", 200, `"status": 429`},
		{"abort by default", "POST", "/faults/mail", "", "kind=abort", 200, `"status": 503`},
		{"abort by JSON", "POST", "/faults/mail", asJSON, `{"kind":"abort","status":500,"share":0.5,"for":"10m","delay":null}`, 200, `"share": 0.5`},
		{"close", "POST", "/faults/mail", "", "kind=close", 200, `"kind": "close"`},
		{"hang", "POST", "/faults/mail", "", "kind=hang", 200, `"kind": "hang"`},
		{"none", "POST", "/faults/mail", "", "kind=none", 200, `"fault": null`},
		{"end", "DELETE", "/faults/mail", "", "", 200, `"fault": null`},
		{"end of none", "DELETE", "/faults/none", "", "", 404, "dependency: shop,mail"},
		{"no kind", "POST", "/faults/mail", "", "", 400, "kind: delay,abort,close,hang,none"},
		{"another kind", "POST", "/faults/mail", "", "kind=flood", 400, "kind: delay,abort,close,hang,none"},
		{"delay without a unit", "POST", "/faults/mail", "", "kind=delay&delay=3", 400, "delay"},
		{"no delay", "POST", "/faults/mail", "", "kind=delay&delay=0s", 400, "delay"},
		{"too long a delay", "POST", "/faults/mail", "", "kind=delay&delay=61s", 400, "delay"},
		{"delay of a hang", "POST", "/faults/mail", "", "kind=hang&delay=3s", 400, "delay"},
		{"status of a delay", "POST", "/faults/mail", "", "kind=delay&status=503", 400, "status"},
		{"a good status", "POST", "/faults/mail", "", "kind=abort&status=200", 400, "status"},
		{"no status", "POST", "/faults/mail", "", "kind=abort&status=teapot", 400, "status"},
		{"share of nothing", "POST", "/faults/mail", "", "kind=hang&share=0", 400, "share"},
		{"share of too much", "POST", "/faults/mail", "", "kind=hang&share=1.01", 400, "share"},
		{"no share", "POST", "/faults/mail", "", "kind=hang&share=NaN", 400, "share"},
		{"too long", "POST", "/faults/mail", "", "kind=hang&for=10m1s", 400, "for"},
		{"for ever", "POST", "/faults/mail", "", "kind=hang&for=-1s", 400, "for"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, everything)
			var headers []string
			if c.kind != "" {
				headers = []string{"Content-Type", c.kind}
			}
			w := s.ask(c.method, c.path, c.body, headers...)
			if w.Code != c.code {
				t.Fatalf("%d %s, want %d", w.Code, w.Body, c.code)
			}
			if c.code == 200 || c.code == 405 {
				if !strings.Contains(w.Body.String(), c.want) {
					t.Errorf("%s is not in %s", c.want, w.Body)
				}
				return
			}
			if n := len(s.Events().Since(0)); n > 0 {
				t.Errorf("a faulty command did something: %+v", s.Events().Since(0))
			}
			var p problem
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Header().Get("Content-Type") != "application/problem+json" || p.Status != c.code {
				t.Fatalf("no problem: %v %s", err, w.Body)
			}
			if len(p.Fields) == 0 {
				if !strings.Contains(p.Detail, c.want) {
					t.Errorf("%q is not in %s", c.want, p.Detail)
				}
				return
			}
			got := p.Fields[0].Field
			if strings.Contains(c.want, ":") {
				got += ": " + strings.Join(p.Fields[0].Allowed, ",")
			}
			if got != c.want || !strings.Contains(p.Detail, p.Fields[0].Fault) && c.code == 400 {
				t.Errorf("%s, want %s; %s", got, c.want, p.Detail)
			}
		})
	}
}

// All faults of a request are told at once.
func TestAllFieldsAreTold(t *testing.T) {
	s := start(t, everything)
	var p problem
	w := s.ask("POST", "/faults/shop", "kind=delay&delay=x&status=1&share=2&for=1h")
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		t.Fatal(err)
	}
	var fields []string
	for _, f := range p.Fields {
		fields = append(fields, f.Field)
	}
	if want := []string{"status", "delay", "share", "for"}; !slices.Equal(fields, want) {
		t.Errorf("%v, want %v", fields, want)
	}
}

// To a form of the page the answer is the page.
func TestForms(t *testing.T) {
	const browser = "text/html,application/xhtml+xml,*/*;q=0.8"
	s := start(t, everything)
	w := s.ask("POST", "/breaker/shop", "state=open", "Accept", browser)
	if w.Code != 303 || w.Header().Get("Location") != "/" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	w = s.ask("POST", "/breaker/shop", "state=auto&refresh=off", "Accept", browser)
	if w.Code != 303 || w.Header().Get("Location") != "/?refresh=off" {
		t.Errorf("a page that is paused goes on: %d %v", w.Code, w.Header())
	}
	w = s.ask("POST", "/faults/shop", url.Values{"kind": {"<b>"}}.Encode(), "Accept", browser)
	if w.Code != 400 || !strings.Contains(w.Body.String(), "allowed: delay, abort") || !strings.Contains(w.Body.String(), "<h1>Bad Request</h1>") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// A fault that nobody ends ends by itself.
func TestFaultsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, everything)
		is := func() *proxy.Fault { return s.Status().Dependencies[0].Fault }
		for _, c := range []struct {
			body string
			ends time.Duration
		}{{"kind=hang", time.Minute}, {"kind=hang&for=10m", 10 * time.Minute}} {
			if w := s.ask("POST", "/faults/shop", c.body); w.Code != 200 {
				t.Fatal(w.Body)
			}
			time.Sleep(c.ends - 1)
			if is() == nil {
				t.Errorf("%s is over too early", c.body)
			}
			time.Sleep(time.Nanosecond)
			if is() != nil {
				t.Errorf("%s is not over", c.body)
			}
		}
		s.ask("POST", "/faults/shop", "kind=hang")
		if s.ask("DELETE", "/faults/shop", ""); is() != nil {
			t.Error("the fault was ended and strikes")
		}
	})
}
