package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/stanch-go/stanch/policy"
	"github.com/stanch-go/stanch/proxy"
	"github.com/stanch-go/stanch/proxy/admin"
)

// runFlags are the settings of "stanch run".
type runFlags struct {
	file  string
	drain time.Duration
	json  bool
	debug bool
}

func newRun() *cobra.Command {
	var flags runFlags
	c := &cobra.Command{
		Use:   "run -c FILE",
		Short: "Guard the calls of a service in any language, as a sidecar",
		Long: `Run the sidecar: a proxy on loopback through which a service makes its calls,
guarded as the policy FILE says. Point the service at it by HTTP_PROXY, or by a
base URL with the dependency's name, such as http://127.0.0.1:15001/recommend/.
With listen.ingress it also stands in front of the service, and takes in what the
section inbound says.

A page on listen.admin shows what happens, and takes commands; docs/admin.md
describes it.

When a file of the policy changes, or at SIGHUP, it is read again and put in
force at once; a faulty one is told and changes nothing. At SIGTERM, and at
Ctrl-C, no new requests are taken, and those in flight are finished.

Exit codes:
  0  ended by a signal, and nothing was cut off
  2  the command line or the policy is faulty; nothing was run
  3  ended by a signal, and requests were cut off at the end of --drain
  4  something else failed, such as an address that is in use`,
		Example: `  stanch run -c stanch.yaml
  HTTP_PROXY=http://127.0.0.1:15001 python3 service.py`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return flags.run(c.Context(), c.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.StringVarP(&flags.file, "config", "c", "", "the policy `file`")
	f.DurationVar(&flags.drain, "drain", 30*time.Second, "how long requests in flight are waited for at the end")
	f.BoolVar(&flags.json, "log-json", false, "log one JSON object a line")
	f.BoolVar(&flags.debug, "debug", false, "log every request that got no answer of the dependency")
	cobra.CheckErr(c.MarkFlagRequired("config"))
	cobra.CheckErr(c.MarkFlagFilename("config", "yaml", "yml"))
	return c
}

func (f runFlags) run(ctx context.Context, out io.Writer) error {
	if f.drain <= 0 {
		return failed(exitInput, fmt.Errorf("--drain must be above 0s, is %v", f.drain))
	}
	load := func() (*policy.Policy, error) { return policy.Load(f.file) }
	p, err := load()
	if err != nil {
		return failed(exitInput, err)
	}
	collectLess()
	log := f.log(out)
	l, err := admin.Listen(p.Effective().Listen.Admin)
	if err != nil {
		return failed(exitFailed, fmt.Errorf("listen.admin: %w", err))
	}
	defer l.Close()
	px, err := proxy.New(p, proxy.Options{Log: log, DrainTime: f.drain})
	if err != nil {
		if _, ok := errors.AsType[policy.Fault](err); ok {
			return failed(exitInput, err)
		}
		return failed(exitFailed, err)
	}
	defer serveAdmin(admin.New(px, log), l, log)()
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	go px.Watch(ctx, load, hangup)

	log.Info("guarding", "policy", p.Path, "hash", p.Hash, "egress", px.Addr().String(), "admin", l.Addr().String(), "dependencies", len(p.Dependencies))
	if a := px.IngressAddr(); a != nil {
		log.Info("in front of the service", "ingress", a.String(), "to", p.Listen.Ingress.To)
	}
	if err := px.Serve(ctx); err != nil {
		if ctx.Err() != nil {
			return failed(exitInterrupted, err)
		}
		return failed(exitFailed, err)
	}
	log.Info("ended")
	return nil
}

// serveAdmin serves the admin side until what it returns is called: to the end of
// a drain, so that it can be watched. Without it requests are guarded all the same.
func serveAdmin(a *admin.Admin, l net.Listener, log *slog.Logger) (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var served sync.WaitGroup
	served.Go(func() {
		if err := a.Serve(ctx, l); err != nil {
			log.Error("the admin side has ended", "error", err)
		}
	})
	return func() {
		cancel()
		served.Wait()
	}
}

func (f runFlags) log(out io.Writer) *slog.Logger {
	o := &slog.HandlerOptions{}
	if f.debug {
		o.Level = slog.LevelDebug
	}
	if f.json {
		return slog.New(slog.NewJSONHandler(out, o))
	}
	return slog.New(slog.NewTextHandler(out, o))
}
