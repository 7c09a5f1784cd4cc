// Stanch keeps one slow dependency from taking a service down. This command
// plays incidents against the settings that are to prevent them; see
// "stanch --help".
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/stanch-go/stanch/sim/real"
)

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	err := newRoot(players{real: real.Play}).ExecuteContext(ctx)
	return conclude(os.Stderr, err)
}
