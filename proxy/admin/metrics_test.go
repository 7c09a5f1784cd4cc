package admin_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/stanchprom"
)

// scrape reads the metrics as Prometheus does.
func scrape(t *testing.T, s *sidecar) map[string]*dto.MetricFamily {
	t.Helper()
	w := s.ask("GET", "/metrics", "")
	if w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	p := expfmt.NewTextParser(model.UTF8Validation)
	families, err := p.TextToMetricFamilies(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return families
}

func ours(families map[string]*dto.MetricFamily) map[string]*dto.MetricFamily {
	maps.DeleteFunc(families, func(name string, _ *dto.MetricFamily) bool { return !strings.HasPrefix(name, "stanch_") })
	return families
}

// Labels have the values that the policy and this module give them, whatever
// clients send.
func TestLabelsAreBounded(t *testing.T) {
	s := start(t, everything)
	allowed := map[string]string{
		"dependency": "^(shop|mail|ingress:news)$",
		"result":     "^(admitted|left|ok|answer|error|timeout|late|panic|caller-deadline|caller-canceled|refused|excluded)$",
		"reason":     "^(|breaker_open|bulkhead_full|queue_timeout|budget|deadline|rate_limited|quota|shed|nested)$",
		"source":     "^(last_good|static|empty|hidden)$",
		"state":      "^(closed|open|half-open|forced-open|forced-closed)$",
		"to":         "^(closed|open|half-open|forced-open|forced-closed)$",
		"listener":   "^(egress|ingress)$",
		"service":    "^news$",
		"priority":   "^(critical-plus|critical|sheddable-plus|sheddable)$",
		"by":         "^(|tenant)$",
		"outcome":    "^(success|failure|ignored)$",
	}
	seen := map[string]bool{}
	series := 0
	for name, f := range ours(scrape(t, s)) {
		for _, m := range f.Metric {
			series++
			for _, l := range m.Label {
				seen[l.GetName()] = true
				if pattern := allowed[l.GetName()]; pattern == "" || !regexp.MustCompile(pattern).MatchString(l.GetValue()) {
					t.Errorf("%s has the label %s=%q", name, l.GetName(), l.GetValue())
				}
			}
		}
	}
	if len(seen) != len(allowed) || series > 250 {
		t.Errorf("%d labels in %d series", len(seen), series)
	}
}

func TestMetricsFollow(t *testing.T) {
	s := start(t, everything)
	s.ask("POST", "/breaker/shop", "state=open")
	s.ask("POST", "/faults/mail", "kind=hang")
	s.Reject(fmt.Errorf("bad"))
	got := map[string]float64{}
	for name, f := range ours(scrape(t, s)) {
		for _, m := range f.Metric {
			key := []string{strings.TrimPrefix(name, "stanch_")}
			for _, l := range m.Label {
				key = append(key, l.GetValue())
			}
			got[strings.Join(key, " ")] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	for key, want := range map[string]float64{
		"breaker_state shop forced-open": 1, "breaker_state shop closed": 0, "breaker_transitions_total shop forced-open": 1,
		"sidecar_fault mail": 1, "sidecar_fault shop": 0, "sidecar_policy_rejected": 1, "sidecar_draining": 0, "bulkhead_limit shop": 5,
		"inbound_limit news": 2, "inbound_let_in_ratio critical news": 1, "inbound_requests_total  critical  admitted news": 0, "sidecar_connections_limit egress": 8192,
	} {
		if x, ok := got[key]; !ok || x != want {
			t.Errorf("%s is %v (there: %v), want %v", key, x, ok, want)
		}
	}
	if got["sidecar_policy_in_force_timestamp_seconds"] < 1.7e9 && got["sidecar_policy_in_force_timestamp_seconds"] != 0 {
		t.Error(got["sidecar_policy_in_force_timestamp_seconds"])
	}
}

// The sidecar and a program that uses the library have the same metrics, down to
// the bounds of the buckets: one dashboard serves both.
func TestSameAsTheLibrary(t *testing.T) {
	reg := prometheus.NewRegistry()
	m, err := stanchprom.New(reg)
	if err != nil {
		t.Fatal(err)
	}
	m.Observe(stanch.Event{Step: stanch.StepDone, Dependency: "shop"})
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	theirs := ours(scrape(t, start(t, everything)))
	for _, f := range families {
		other := theirs[f.GetName()]
		if other == nil || other.GetHelp() != f.GetHelp() || other.GetType() != f.GetType() {
			t.Errorf("%s is not the same: %v", f.GetName(), other)
			continue
		}
		if got, want := len(other.Metric[0].GetHistogram().GetBucket()), len(f.Metric[0].GetHistogram().GetBucket()); f.GetType() == dto.MetricType_HISTOGRAM && got != want+1 { // the text has +Inf too
			t.Errorf("%s has %d buckets, and %d", f.GetName(), got, want)
		}
		for i, b := range f.Metric[0].GetHistogram().GetBucket() {
			if got := other.Metric[0].Histogram.Bucket[i].GetUpperBound(); got != b.GetUpperBound() {
				t.Errorf("%s has a bucket up to %v, and one up to %v", f.GetName(), b.GetUpperBound(), got)
			}
		}
	}
}

// docs/metrics.md lists every metric with its type, its labels and its help.
func TestMetricsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(stanch_[a-z0-9_]+)` \\|.*$").FindAllStringSubmatch(string(text), -1) {
		documented[row[1]] = row[0]
	}
	families := ours(scrape(t, start(t, everything)))
	for _, name := range slices.Sorted(maps.Keys(families)) {
		f := families[name]
		var labels []string
		for _, l := range f.Metric[0].Label {
			labels = append(labels, "`"+l.GetName()+"`")
		}
		want := fmt.Sprintf("| `%s` | %s | %s | %s |", name, strings.ToLower(f.GetType().String()), strings.Join(labels, ", "), f.GetHelp())
		if documented[name] != want {
			t.Errorf("docs/metrics.md lacks the row\n%s", want)
		}
		delete(documented, name)
	}
	for name := range documented {
		t.Errorf("docs/metrics.md tells of %s, which there is not", name)
	}
}
