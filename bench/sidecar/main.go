// Command sidecar compares the proxies that may stand before a dependency: the
// CPU time that each takes for a request, and its memory. It runs on Linux, with
// wrk:
//
//	go run ./sidecar                      # about two minutes
//	go run ./sidecar -only stanch,bare    # these only
//	go run ./sidecar -judge               # and status 1 if a promise is missed
//
// Each proxy is a process of its own on the loopback interface, before the same
// server, which answers 1 KiB. The rounds go through all proxies, so that what is
// compared was measured within seconds. CPU is that of the proxy's processes, so
// that it does not matter much who else is busy. What is not installed is left
// out, and the table says so. Every process is ended by its number, and none
// outlives this program by more than a few minutes.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == "role" {
		fail(play(os.Args[2], os.Args[3:]))
		return
	}
	var o options
	flag.IntVar(&o.rounds, "rounds", 3, "how often each is measured")
	flag.DurationVar(&o.each, "each", 3*time.Second, "how long a measurement takes")
	flag.StringVar(&o.only, "only", "", "the `names` of the proxies to measure, with commas; all if empty")
	flag.BoolVar(&o.memory, "memory", true, "also measure memory with 100 and 2000 connections")
	flag.BoolVar(&o.judge, "judge", false, "also say which promises are kept, and exit with 1 if one is not")
	flag.Parse()
	fail(compare(o))
}

type options struct {
	rounds int
	each   time.Duration
	only   string
	memory bool
	judge  bool
}

func compare(o options) error {
	if _, err := exec.LookPath("wrk"); err != nil {
		return fmt.Errorf("wrk is needed: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "stanch-sidecar")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	stanch := filepath.Join(dir, "stanch")
	build := exec.CommandContext(ctx, "go", "build", "-o", stanch, "./cmd/stanch")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	server := free()
	behind, err := start(ctx, server, os.Args[0], "role", "server", server)
	if err != nil {
		return err
	}
	defer behind.end()

	var running []*proxy
	for _, p := range proxies(dir, stanch, server) {
		if o.only != "" && !strings.Contains(","+o.only+",", ","+p.name+",") {
			continue
		}
		if _, err := exec.LookPath(p.command[0]); err != nil {
			p.absent = "not installed"
		} else if p.process, err = start(ctx, p.addr, p.command[0], p.command[1:]...); err != nil {
			p.absent = err.Error()
		} else {
			defer p.end()
			p.measure(ctx, 32, o.each/3) // so that all is warm
			clear(p.samples)
		}
		running = append(running, p)
	}
	for range o.rounds {
		for _, connections := range levels {
			for _, p := range running {
				if p.absent == "" {
					p.measure(ctx, connections, o.each)
				}
			}
		}
	}
	if o.memory {
		for _, p := range running {
			if p.absent == "" {
				p.weigh(ctx)
			}
		}
	}
	report(running)
	if o.judge {
		return judge(running)
	}
	return nil
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "sidecar:", err)
		os.Exit(1)
	}
}
