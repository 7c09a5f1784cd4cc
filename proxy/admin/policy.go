package admin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// timeFormat is that of instants in text.
const timeFormat = time.RFC3339

// policy shows the policy in force: as a policy file, with where everything in it
// came from, or as JSON to those who accept that.
func (a *Admin) policy(w http.ResponseWriter, req *http.Request) {
	p, s := a.proxy.Policy(), a.proxy.Status().Policy
	if strings.Contains(req.Header.Get("Accept"), "application/json") || req.URL.Query().Get("format") == "json" {
		out := struct {
			Since    time.Time       `json:"since"`
			Rejected *rejection      `json:"rejected"`
			InForce  json.RawMessage `json:"in_force"`
		}{s.Since, rejected(s.Fault, s.FaultAt), p.JSON()}
		sendJSON(w, out)
		return
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "# In force since %s, hash %s.\n", s.Since.Format(timeFormat), p.Hash)
	if s.Fault != "" {
		fmt.Fprintf(&out, "# A later one was refused at %s:\n", s.FaultAt.Format(timeFormat))
		for line := range strings.Lines(s.Fault) {
			fmt.Fprintf(&out, "#   %s\n", strings.TrimRight(line, "\n"))
		}
	}
	out.Write(p.YAML())
	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write(out.Bytes())
}

// A rejection is a policy that was refused after the one in force.
type rejection struct {
	At     time.Time `json:"at"`
	Faults []string  `json:"faults"` // each with its place in the file
}

func rejected(text string, at time.Time) *rejection {
	if text == "" {
		return nil
	}
	return &rejection{at, strings.Split(text, "\n")}
}
