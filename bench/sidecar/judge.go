package main

import (
	"errors"
	"fmt"
)

// promises are what the sidecar's CPU time for a request is held to, as a ratio
// to that of another proxy in the same round.
var promises = []struct {
	to   string
	most float64
}{
	{"bare", 1},
	{"caddy", 1},
}

// judge prints a line for each promise, and returns an error if one is missed.
func judge(all []*proxy) error {
	ours := named(all, "stanch")
	if ours == nil {
		return errors.New("nothing to judge: stanch was not measured")
	}
	missed := 0
	fmt.Print("\n| verdict | promise | promised | measured |\n|---|---|---|---|\n")
	for _, p := range promises {
		other := named(all, p.to)
		for _, c := range levels {
			about := fmt.Sprintf("sidecar, %d connections, CPU a request against %s", c, p.to)
			if other == nil {
				fmt.Printf("| left out | %s | at most %.2f | |\n", about, p.most)
				continue
			}
			r, verdict := ours.over(other, c), "kept"
			if r > p.most {
				verdict = "**missed**"
				missed++
			}
			fmt.Printf("| %s | %s | at most %.2f | %.2f |\n", verdict, about, p.most, r)
		}
	}
	if missed > 0 {
		return fmt.Errorf("%d promises are missed", missed)
	}
	return nil
}

// named is the proxy of this name, if it was measured.
func named(all []*proxy, name string) *proxy {
	for _, p := range all {
		if p.name == name && p.absent == "" {
			return p
		}
	}
	return nil
}
