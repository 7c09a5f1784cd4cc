package policy

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/stanch-go/stanch/internal/strict"
)

// An Option says where a policy is read from.
type Option func(*reader)

// WithEnv looks up the variables of the environment. Default os.LookupEnv.
func WithEnv(lookup func(name string) (value string, ok bool)) Option {
	return func(r *reader) { r.env = lookup }
}

// WithFiles reads files. Default: the file system's.
func WithFiles(read func(path string) ([]byte, error)) Option {
	return func(r *reader) { r.open = read }
}

// A reader is what reads one policy.
type reader struct {
	env  func(string) (string, bool)
	open func(string) ([]byte, error)

	files  []string
	digest hash.Hash
	faults Faults
	broken bool // a part is missing, so that the rest would seem to have faults

	layers    map[string]*strict.Node // included files, with what they include
	stack     []string                // of files being included
	places    map[Fault]reference     // of values with variables
	variables map[*strict.Node]string // the variables in these values
	expanded  int                     // bytes of these values
}

func newReader(options []Option) *reader {
	r := &reader{
		env: os.LookupEnv, open: readRegular, digest: sha256.New(),
		layers: map[string]*strict.Node{}, places: map[Fault]reference{}, variables: map[*strict.Node]string{},
	}
	for _, o := range options {
		o(r)
	}
	return r
}

// file reads a file and notes that it was.
func (r *reader) file(path string) ([]byte, error) {
	text, err := r.open(path)
	r.read(path, text)
	return text, err
}

func (r *reader) read(path string, text []byte) {
	if !slices.Contains(r.files, path) {
		r.files = append(r.files, path)
	}
	r.note(text)
}

// note adds to the hash, so that no two lists of texts have the same.
func (r *reader) note(text []byte) {
	r.digest.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
	r.digest.Write(text)
}

func (r *reader) hash() string { return hex.EncodeToString(r.digest.Sum(nil)[:6]) }

// readRegular reads a file that has an end: a policy must not make its reader
// wait for a pipe or fill the memory from a device.
func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is no regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, strict.MaxBytes+1))
	if err == nil && len(text) > strict.MaxBytes {
		err = fmt.Errorf("is larger than %v", strict.Size(strict.MaxBytes))
	}
	return text, err
}

// unreadable says why a file cannot be read; which one it is stands there already.
func unreadable(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return "cannot be read: " + err.Error()
}
