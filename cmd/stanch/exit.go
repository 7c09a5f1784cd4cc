package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/stanch-go/stanch/internal/strict"
)

// Exit codes. They are part of the interface: docs/sim.md lists them.
const (
	exitOK          = 0
	exitNotExpected = 1 // an expectation does not hold
	exitInput       = 2 // the input is faulty, nothing was run
	exitInterrupted = 3
	exitFailed      = 4 // something else went wrong
)

const exitHelp = `Exit codes:
  0  all expectations hold
  1  an expectation does not hold
  2  the command line or a file is faulty; nothing was run
  3  interrupted; what there was so far was printed
  4  something else failed, such as writing the page`

// An exit ends the command with a code. Without an error there is nothing more
// to say.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

func failed(code int, err error) error { return &exit{code, err} }

// conclude prints what ended the command and returns its exit code. An error
// that says no code is cobra's, about the command line.
func conclude(w io.Writer, err error) int {
	if err == nil {
		return exitOK
	}
	e, ok := errors.AsType[*exit](err)
	if !ok {
		fmt.Fprintf(w, "stanch: %v\nSee \"stanch --help\".\n", err)
		return exitInput
	}
	if e.err != nil {
		fmt.Fprint(w, describe(e.err))
	}
	return e.code
}

// describe writes an error, or several, with the faulty lines of files.
func describe(err error) string {
	switch err := err.(type) {
	case strict.Faults:
		return err.Pretty(sources(err))
	case interface{ Unwrap() []error }:
		var all strings.Builder
		for _, e := range err.Unwrap() {
			all.WriteString(describe(e))
		}
		return all.String()
	}
	return fmt.Sprintf("stanch: %v\n", err)
}

// sources reads the files that the faults are in.
func sources(faults strict.Faults) map[string][]byte {
	files := map[string][]byte{}
	for _, f := range faults {
		if text, err := os.ReadFile(f.File); err == nil {
			files[f.File] = text
		}
	}
	return files
}
