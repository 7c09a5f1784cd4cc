package strict

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

const byteOrderMark = "\uFEFF"

// Parse reads a file of one YAML document and returns its root. The error, if
// any, is a Faults. file is only a name for the faults.
func Parse(file string, data []byte) (*Node, error) {
	if len(data) > MaxBytes {
		return nil, Faults{{File: file, Text: fmt.Sprintf("file is larger than %s", Size(MaxBytes))}}
	}
	data = bytes.TrimPrefix(data, []byte(byteOrderMark))
	if f, ok := unreadable(file, data); ok {
		return nil, Faults{f}
	}
	document, second, err := load(data)
	switch {
	case err == io.EOF:
		return nil, Faults{{File: file, Line: 1, Column: 1, Text: "file is empty"}}
	case err != nil:
		return nil, Faults{syntaxFault(file, data, err)}
	case second != nil:
		return nil, Faults{{File: file, Line: second.Line, Column: second.Column,
			Text: "a second document begins here", Hint: "one file holds one document"}}
	}
	c := converter{file: file, done: map[*yaml.Node]converted{}}
	root := c.convert(document.Content[0], "").node
	if len(c.faults) > 0 {
		return nil, c.faults.Sorted()
	}
	if root.Kind == Empty || root.Kind == Null {
		return nil, Faults{{File: file, Line: 1, Column: 1, Text: "document is empty"}}
	}
	return root, nil
}

// load returns the first document, and the second if there is one.
func load(data []byte) (first, second *yaml.Node, err error) {
	defer func() {
		// A program that reloads its policy must not die of a mistake in the
		// YAML library.
		if r := recover(); r != nil {
			err = fmt.Errorf("YAML library failed: %v", r)
		}
	}()
	limits := loaderlimits.New(loaderlimits.DepthValue(MaxDepth), loaderlimits.AliasNone())
	loader, err := yaml.NewLoader(bytes.NewReader(data), yaml.WithPlugin(limits))
	if err != nil {
		return nil, nil, err
	}
	first, second = new(yaml.Node), new(yaml.Node)
	if err := loader.Load(first); err != nil {
		return nil, nil, err
	}
	switch err := loader.Load(second); err {
	case nil:
		return first, second, nil
	case io.EOF:
		return first, nil, nil
	default:
		return nil, nil, err
	}
}

// unreadable finds what is no text, which the YAML library reports without its
// place, and what is text but misleads.
func unreadable(file string, data []byte) (Fault, bool) {
	line, column := 1, 1
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		text := ""
		switch {
		case r == utf8.RuneError && size == 1:
			text = "is not valid UTF-8"
		case r < ' ' && r != '\t' && r != '\n' && r != '\r', r == 0x7F:
			text = fmt.Sprintf("has a control character (%U)", r)
		case r == '\r' && !bytes.HasPrefix(data[i:], []byte("\r\n")), r == 0x85, r == 0x2028, r == 0x2029:
			// YAML ends a line here, editors do not: what is shown is not what is read.
			text = fmt.Sprintf("has a line break that is no newline (%U)", r)
		}
		if text != "" {
			return Fault{File: file, Line: line, Column: column, Text: text}, true
		}
		if r == '\n' {
			line, column = line+1, 0
		}
		i, column = i+size, column+1
	}
	return Fault{}, false
}
