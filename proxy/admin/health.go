package admin

import (
	"fmt"
	"net/http"
)

// healthy answers as long as the process does anything at all.
func (a *Admin) healthy(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") }

// ready answers 200 while requests are taken: from the first moment, since the
// listeners are open before this one answers, until a drain begins. A policy that
// was refused changes nothing about that, but is told.
func (a *Admin) ready(w http.ResponseWriter, _ *http.Request) {
	s := a.proxy.Status()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if s.Draining {
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintln(w, "draining")
		return
	}
	fmt.Fprintln(w, "ready")
	if s.Policy.Fault != "" {
		fmt.Fprintf(w, "a later policy was refused, that of %s stays in force:\n%s\n", s.Policy.Since.Format(timeFormat), s.Policy.Fault)
	}
}
