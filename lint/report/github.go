package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/stanch-go/stanch/lint"
)

// GitHub writes the findings as commands of a workflow, which GitHub shows at
// the lines of a change.
func GitHub(w io.Writer, r *lint.Report) error {
	for _, f := range r.Findings {
		if f.Allowed != "" {
			continue
		}
		command := string(f.Rule.Severity)
		if f.Rule.Severity == lint.Info {
			command = "notice"
		}
		_, err := fmt.Fprintf(w, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", command,
			property.Replace(f.File), f.Line, f.Column, property.Replace(f.Rule.Code+": "+f.Rule.Title),
			message.Replace(fmt.Sprintf("%s: %s\nWhy: %s.\nFix: %s.", f.Path, f.Text, f.Rule.Brief(), f.Remedy)))
		if err != nil {
			return err
		}
	}
	return nil
}

// What ends a message, and what ends a property of a command, is escaped.
var (
	message  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
