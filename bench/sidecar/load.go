package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// levels are how many connections there are.
var levels = []int{32, 128}

// A sample is what one run of wrk says of a proxy.
type sample struct {
	cpu      time.Duration // a request
	requests float64       // a second
	errors   int
}

var (
	total  = regexp.MustCompile(`(\d+) requests in`)
	rate   = regexp.MustCompile(`Requests/sec:\s+([\d.]+)`)
	faulty = regexp.MustCompile(`Non-2xx or 3xx responses: (\d+)|Socket errors: .*`)
)

// measure asks the proxy for a while on so many connections.
func (p *proxy) measure(ctx context.Context, connections int, d time.Duration) {
	before := p.cpu()
	out, err := p.wrk(ctx, connections, d)
	used := p.cpu() - before
	n := number(total, out)
	if err != nil || n == 0 {
		p.absent = fmt.Sprintf("wrk: %v: %s", err, out)
		return
	}
	s := sample{cpu: used / time.Duration(n), requests: number(rate, out)}
	if m := faulty.FindStringSubmatch(out); m != nil {
		s.errors = 1
		fmt.Fprintf(os.Stderr, "%s with %d connections: %s\n", p.name, connections, m[0])
	}
	p.samples[connections] = append(p.samples[connections], s)
}

// weigh looks at the memory with few and with many connections.
func (p *proxy) weigh(ctx context.Context) {
	for _, connections := range []int{100, 2000} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			p.wrk(ctx, connections, 4*time.Second)
		}()
		for running := true; running; {
			select {
			case <-done:
				running = false
			case <-time.After(200 * time.Millisecond):
				p.memory[connections] = max(p.memory[connections], p.resident())
			}
		}
	}
}

func (p *proxy) wrk(ctx context.Context, connections int, d time.Duration) (string, error) {
	seconds := strconv.Itoa(max(1, int(d.Seconds())))
	out, err := exec.CommandContext(ctx, "wrk", "-t", "1", "-c", strconv.Itoa(connections), "-d", seconds, "--timeout", "10s", "http://"+p.addr+p.path).CombinedOutput()
	return string(out), err
}

func number(r *regexp.Regexp, text string) float64 {
	m := r.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	v, _ := strconv.ParseFloat(m[1], 64)
	return v
}

// report prints a line for each proxy. A ratio is taken within each round, and
// the median counts.
func report(all []*proxy) {
	fmt.Print("| proxy | | CPU a request, 32 | of bare's | CPU a request, 128 | of bare's | requests a second, 32 / 128 | memory, 100 / 2000 connections |\n|---|---|---:|---:|---:|---:|---:|---:|\n")
	bare := named(all, "bare")
	for _, p := range all {
		if p.absent != "" {
			fmt.Printf("| %s | left out: %s | | | | | | |\n", p.name, strings.Join(strings.Fields(p.absent), " "))
			continue
		}
		fmt.Printf("| %s | %s |", p.name, p.about)
		for _, c := range levels {
			fmt.Printf(" %.1f µs | %s |", p.median(c, func(s sample) float64 { return float64(s.cpu) / 1e3 }), p.ratio(bare, c))
		}
		per := func(c int) float64 { return p.median(c, func(s sample) float64 { return s.requests }) }
		fmt.Printf(" %.0f / %.0f | %.0f / %.0f MB |\n", per(levels[0]), per(levels[1]), float64(p.memory[100])/1e6, float64(p.memory[2000])/1e6)
	}
}

func (p *proxy) median(connections int, of func(sample) float64) float64 {
	var v []float64
	for _, s := range p.samples[connections] {
		v = append(v, of(s))
	}
	return middle(v)
}

func (p *proxy) ratio(to *proxy, connections int) string {
	if to == nil {
		return ""
	}
	return fmt.Sprintf("%.2f", p.over(to, connections))
}

// over is the median of the rounds' ratios.
func (p *proxy) over(to *proxy, connections int) float64 {
	var v []float64
	for i, s := range p.samples[connections] {
		if i < len(to.samples[connections]) {
			v = append(v, float64(s.cpu)/float64(to.samples[connections][i].cpu))
		}
	}
	return middle(v)
}

func middle(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
