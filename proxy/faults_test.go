package proxy_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stanch-go/stanch/proxy"
)

func soon(d time.Duration) time.Time { return time.Now().Add(d) }

func TestFaults(t *testing.T) {
	s := one(t, "timeout: {attempt: 300ms}, retry: {attempts: 2, base: 1ms}, bulkhead: {limit: 1}", echo("shop"))
	set := func(f proxy.Fault) {
		t.Helper()
		f.Share, f.Until = 1, soon(time.Minute)
		if err := s.SetFault("shop", f); err != nil {
			t.Fatal(err)
		}
	}
	set(proxy.Fault{Abort: 503})
	g := s.get("/")
	g.is(t, 503, "live", "")
	if g.Header.Get("Stanch-Attempts") != "2" || s.shop().Attempts["error"] != 2 {
		t.Errorf("retries do not see it: %v %v", g.Header, s.shop().Attempts)
	}
	set(proxy.Fault{Abort: -1})
	s.get("/").is(t, 502, "", "")
	set(proxy.Fault{Hang: true})
	s.get("/").is(t, 504, "", "")
	if n := s.shop().Attempts["timeout"]; n != 2 {
		t.Errorf("%d timeouts", n)
	}
	set(proxy.Fault{Delay: 50 * ms})
	began := time.Now()
	s.get("/").is(t, 200, "live", "")
	if took := time.Since(began); took < 50*ms {
		t.Errorf("took %v", took)
	}
	if s.shop().Fault == nil || s.shop().Fault.Delay != 50*ms {
		t.Error("the status does not show it")
	}
	if !s.ClearFault("shop") || s.ClearFault("shop") {
		t.Error("cleared never, or twice")
	}
	if s.shop().Fault != nil {
		t.Error("the status still shows it")
	}
	s.get("/").is(t, 200, "live", "")
	if n := len(s.Events().Since(0)); n != 5 {
		t.Errorf("%d events", n)
	}
	if n := s.shop().Bulkhead.InFlight; n != 0 {
		t.Errorf("%d places are held", n)
	}
}

func TestFaultEndsByItself(t *testing.T) {
	s := one(t, "", echo("shop"))
	if err := s.SetFault("shop", proxy.Fault{Abort: 500, Share: 1, Until: soon(30 * ms)}); err != nil {
		t.Fatal(err)
	}
	s.get("/").is(t, 500, "live", "")
	until(t, "it is over", func() bool { return s.get("/").StatusCode == 200 })
	if s.shop().Fault != nil {
		t.Error("the status still shows it")
	}
}

func TestFaultStrikesAShare(t *testing.T) {
	var draw atomic.Int64
	s := one(t, "", echo("shop"), func(o *proxy.Options) {
		o.Rand = func() float64 { return float64(draw.Add(1)%10) / 10 }
	})
	if err := s.SetFault("shop", proxy.Fault{Abort: 500, Share: 0.3, Until: soon(time.Minute)}); err != nil {
		t.Fatal(err)
	}
	struck := 0
	for range 20 {
		if s.get("/").StatusCode == 500 {
			struck++
		}
	}
	if struck != 6 {
		t.Errorf("%d of 20", struck)
	}
}

func TestBadFaults(t *testing.T) {
	s := one(t, "", echo("shop"))
	good := proxy.Fault{Abort: 500, Share: 1, Until: soon(time.Minute)}
	for want, change := range map[string]func(*proxy.Fault){
		"delay: ":                         func(f *proxy.Fault) { f.Delay = -1 },
		"abort: ":                         func(f *proxy.Fault) { f.Abort = 200 },
		"share: ":                         func(f *proxy.Fault) { f.Share = 1.1 },
		"until: ":                         func(f *proxy.Fault) { f.Until = soon(2 * time.Hour) },
		"or abort, or hang must be given": func(f *proxy.Fault) { f.Abort = 0 },
	} {
		f := good
		change(&f)
		if err := s.SetFault("shop", f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s%v", want, err)
		}
	}
	if err := s.SetFault("shop", proxy.Fault{Share: 2}); err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("not all at once: %v", err)
	}
	if err := s.SetFault("nobody", good); err == nil {
		t.Error("a fault of nobody")
	}
}
