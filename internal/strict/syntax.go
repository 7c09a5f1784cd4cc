package strict

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// syntaxFault places an error of the YAML library and says it more plainly.
func syntaxFault(file string, data []byte, err error) Fault {
	e, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		return Fault{File: file, Text: err.Error()}
	}
	at, begun := e.Mark, e.ContextMark
	f := Fault{File: file, Line: at.Line, Column: at.Column}
	f.Text, f.Hint = plainly(e.Message, signAt(data, at))

	construct := constructName(e.ContextMsg)
	lastLine, lastColumn := lastSign(data)
	switch {
	case at.Line <= lastLine:
		if construct != "" && begun.Line > 0 && begun.Line < at.Line {
			f.Text += fmt.Sprintf(", in the %s that begins in line %d", construct, begun.Line)
		}
	case construct != "" && begun.Line > 0 && begun.Line <= lastLine:
		// The end of the file tells nobody where the quote is missing.
		f.Line, f.Column = begun.Line, begun.Column
		f.Text, f.Hint = construct+" is never closed", ""
	default:
		f.Line, f.Column = lastLine, lastColumn+1
		f.Text += ", where the file ends"
	}
	return f
}

// plainly rewords the messages that a slip of the pen leads to.
func plainly(message string, sign rune) (text, hint string) {
	switch {
	case strings.Contains(message, "cannot start any token") && sign == '\t':
		return "a tab must not indent", "use spaces"
	case strings.Contains(message, "cannot start any token"):
		return fmt.Sprintf("a text must not begin with %q", sign), "put it in quotes"
	case strings.Contains(message, "mapping values are not allowed"):
		return "a key is not expected here", `check the indentation, and put a text with ": " in it in quotes`
	case strings.Contains(message, "unknown anchor"):
		return strings.TrimSuffix(message, " referenced"), "an anchor (&name) must stand before its alias (*name)"
	case strings.Contains(message, "expected node content"):
		return "expected a value", ""
	case strings.Contains(message, "max depth"):
		return fmt.Sprintf("is nested more than %d deep", MaxDepth), ""
	}
	message = strings.TrimPrefix(message, "did not find ")
	return strings.TrimPrefix(message, "found "), ""
}

// constructName says what was being read, if that is something with a beginning.
func constructName(context string) string {
	for part, name := range map[string]string{
		"a flow sequence":    "list",
		"a block collection": "list",
		"a flow mapping":     "mapping",
		"a block mapping":    "mapping",
		"a quoted scalar":    "quoted text",
	} {
		if strings.Contains(context, part) {
			return name
		}
	}
	return ""
}

// signAt returns the character at a mark, 0 when there is none.
func signAt(data []byte, at yaml.Mark) rune {
	lines := bytes.Split(data, []byte("\n"))
	if at.Line < 1 || at.Line > len(lines) {
		return 0
	}
	line := bytes.Runes(lines[at.Line-1])
	if at.Column < 1 || at.Column > len(line) {
		return 0
	}
	return line[at.Column-1]
}

// lastSign returns the place of the last character that is no space.
func lastSign(data []byte) (line, column int) {
	data = bytes.TrimSpace(data)
	last := data[bytes.LastIndexByte(data, '\n')+1:]
	return bytes.Count(data, []byte("\n")) + 1, len(bytes.Runes(last))
}
