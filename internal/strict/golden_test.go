package strict_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/golden"
	"github.com/stanch-go/stanch/internal/strict"
)

// policy has a field of every kind that a file can fill.
type policy struct {
	Name         string                 `yaml:"name" strict:"required"`
	Mode         mode                   `yaml:"mode"`
	Live         bool                   `yaml:"live"`
	Body         strict.Size            `yaml:"body"`
	Seeds        []uint8                `yaml:"seeds"`
	Weights      map[string]float64     `yaml:"weights"`
	Dependencies strict.Map[dependency] `yaml:"dependencies"`
	Over         *strict.Node           `yaml:"over"`
	Rand         func() float64         `yaml:"-"`
	Untagged     chan int
}

type dependency struct {
	limits `yaml:",inline"`

	Timeout timeout  `yaml:"timeout"`
	Breaker *breaker `yaml:"breaker"`
	Queue   queue    `yaml:"queue"`
	Hosts   []string `yaml:"hosts"`
}

type limits struct {
	MaxQueue int     `yaml:"max_queue"`
	Share    float64 `yaml:"share"`
}

type timeout struct {
	Attempt time.Duration `yaml:"attempt"`
	Total   time.Duration `yaml:"total"`
}

func (t timeout) Validate() error {
	var errs []error
	if t.Attempt < 0 {
		errs = append(errs, fmt.Errorf("attempt: must not be negative, is %v", t.Attempt))
	}
	if t.Total < t.Attempt {
		errs = append(errs, fmt.Errorf("total: must be at least attempt (%v), is %v", t.Attempt, t.Total))
	}
	return errors.Join(errs...)
}

type breaker struct {
	Failures int           `yaml:"failures" strict:"required"`
	Cooldown time.Duration `yaml:"cooldown"`
}

// Validate of a dependency asks its parts, as the Go constructor needs; a
// fault must not be reported twice for that.
func (d *dependency) Validate() error {
	var errs []error
	if err := d.Timeout.Validate(); err != nil {
		for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
			errs = append(errs, fmt.Errorf("timeout.%w", e))
		}
	}
	if d.Share > 1 {
		errs = append(errs, errors.New("share: must be at most 1"))
	}
	if d.Breaker == nil && d.MaxQueue > 100 {
		errs = append(errs, errors.New("breaker.cooldown: must be given for a long queue"))
	}
	for i, host := range d.Hosts {
		if host == "localhost" {
			errs = append(errs, fmt.Errorf("hosts[%d]: must be remote", i))
		}
	}
	if d.MaxQueue == 13 {
		errs = append(errs, errors.New("note: thirteen is not a field"))
	}
	return errors.Join(errs...)
}

type mode string

func (mode) Values() []string { return []string{"enforce", "observe", "off"} }

type queue struct {
	Unbounded bool
	Length    int
}

func (q *queue) UnmarshalStrict(n *strict.Node, d *strict.Decoder) {
	switch {
	case n.Value == "unbounded":
		q.Unbounded = true
	case n.Kind == strict.Scalar && strings.Trim(n.Value, "0123456789") != "":
		d.Fault("must be a number or unbounded", "")
	case n.Kind == strict.List:
		for i, item := range n.Items {
			d.DecodeItem(i, item, &q.Length)
		}
	default:
		d.Decode(n, &q.Length)
	}
}

func read(file string, data []byte) (*policy, strict.Faults) {
	root, err := strict.Parse(file, data)
	if err != nil {
		return nil, err.(strict.Faults)
	}
	p := new(policy)
	return p, strict.Decode(root, p)
}

// TestGolden reads every file in testdata; beside it stands what is printed.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	for _, path := range files {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			_, faults := read(name, data)
			got := faults.Pretty(map[string][]byte{name: data})
			golden.Check(t, strings.TrimSuffix(path, ".yaml")+".want", got)
		})
	}
}
