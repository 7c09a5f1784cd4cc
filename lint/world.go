package lint

import (
	"fmt"
	"strings"
	"time"

	"github.com/stanch-go/stanch/policy"
)

// dependencies begins the path of everything in a dependency. Their names need
// no quotes.
const dependencies = "dependencies."

// world is a policy with its defaults filled in, as the rules see it.
type world struct {
	policy *policy.Policy
	file   *policy.File // what is in force
	calls  []*call
}

func newWorld(p *policy.Policy) *world {
	w := &world{policy: p, file: p.File.Effective()}
	for name, d := range w.file.Dependencies.All() {
		w.calls = append(w.calls, &call{world: w, name: name, Dependency: d})
	}
	return w
}

// given reports whether the file says something at a path, or leaves it to a
// class or a default. What is not given has the place of what is around it.
func (w *world) given(path string) bool {
	around, _ := cutLast(path)
	return place(w.policy.Fault(path, "", "")) != place(w.policy.Fault(around, "", ""))
}

func cutLast(path string) (before, last string) {
	i := strings.LastIndexByte(path, '.')
	return path[:max(i, 0)], path[i+1:]
}

func place(f policy.Fault) string { return fmt.Sprint(f.File, ":", f.Line, ":", f.Column) }

// A wait is how long somebody waits.
type wait struct {
	who  string
	long time.Duration // 0: not known
	path string
}

// callers are those who wait for the service, the outermost first.
func (w *world) callers() []wait {
	var all []wait
	for name, c := range w.file.Layers.Callers.All() {
		all = append(all, wait{name, c.Wait, entry("layers.callers", name) + ".wait"})
	}
	return all
}

// user is the outermost caller.
func (w *world) user() (wait, bool) {
	if all := w.callers(); len(all) > 0 {
		return all[0], true
	}
	return wait{}, false
}

// patience is how long a request to the service may take, by its own deadline or
// else by who calls it.
func (w *world) patience() (wait, bool) {
	if d := w.file.Service.Deadline; d > 0 {
		return wait{"the service", d, "service.deadline"}, true
	}
	if all := w.callers(); len(all) > 0 {
		return all[len(all)-1], true
	}
	return wait{}, false
}

// rate is how many calls a second a dependency is declared to get, and under
// which name; 0 is not known.
func (w *world) rate(dependency string) (perSecond float64, key string) {
	for _, name := range []string{dependency, "requests"} {
		if r, ok := w.file.Service.Rates.Get(name); ok && r > 0 {
			return r, entry("service.rates", name)
		}
	}
	return 0, ""
}

// entry is the path of a name in a section. Names need no quotes.
func entry(section, name string) string { return section + "." + name }
