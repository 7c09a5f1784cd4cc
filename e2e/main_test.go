package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The programs that are built once, for all tests.
var stanch, h2spec string

// roles are what this program is when it is started by one of its own tests.
var roles = map[string]func(args []string) error{}

// TestMain builds the programs, with the race detector if the tests have it: the
// races that count are those of the sidecar.
func TestMain(m *testing.M) {
	if role := os.Getenv("STANCH_E2E_ROLE"); role != "" {
		if err := roles[role](os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	os.Exit(build(m.Run))
}

func build(run func() int) int {
	dir, err := os.MkdirTemp("", "e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	stanch, h2spec = filepath.Join(dir, "stanch"), filepath.Join(dir, "h2spec")
	race := fmt.Sprintf("-race=%v", raced)
	for _, c := range []*exec.Cmd{
		exec.Command("go", "build", race, "-o", stanch, "github.com/stanch-go/stanch/cmd/stanch"),
		exec.Command("go", "build", "-o", h2spec, "github.com/summerwind/h2spec/cmd/h2spec"),
	} {
		if out, err := c.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%v: %v\n%s", c, err, out)
			return 1
		}
	}
	return run()
}
