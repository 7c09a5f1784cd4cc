// Package policy reads the policy file: one YAML file that says how a service's
// calls are guarded. The same file is checked, simulated, and run by the
// sidecar, and the library loads its dependencies from it.
//
// Reading is strict. Every fault of a file is found in one run, with its place,
// what is allowed and what may have been meant; a faulty file changes nothing.
package policy

import (
	"time"

	"github.com/stanch-go/stanch/internal/strict"
)

// Version is the version of the file format that this package reads.
const Version = 1

// A Map keeps the order of the file.
type Map[T any] = strict.Map[T]

// A File is a whole policy.
type File struct {
	// Version of the format: 1.
	Version int `yaml:"version" strict:"required"`
	// Include lays this file over others, in order; paths are relative to the
	// file that names them.
	Include []string `yaml:"include"`
	// Service describes the service whose policy it is.
	Service Service `yaml:"service"`
	// Layers are those above and below the service, whose limits must fit.
	Layers Layers `yaml:"layers"`
	// Pools are bulkheads that several dependencies share.
	Pools Map[Pool] `yaml:"pools"`
	// Dependencies are what the service calls, by name. To the sidecar, what is
	// not listed does not exist.
	Dependencies Map[Dependency] `yaml:"dependencies"`
	// Listen says where the sidecar listens.
	Listen Listen `yaml:"listen"`
	// Inbound is reserved for limits on what the service takes in.
	Inbound *Inbound `yaml:"inbound"`
	// Allow suppresses findings of checks that concern the file as a whole.
	Allow []Allow `yaml:"allow"`
}

// Service is the service itself.
type Service struct {
	// Name of the service, for metrics and messages.
	Name string `yaml:"name"`
	// Deadline is how long a request to the service may take in all.
	Deadline time.Duration `yaml:"deadline"`
	// Workers is how many requests it works on at once; 0 = unknown or no limit.
	Workers int `yaml:"workers"`
	// Rates are the requests a second that are to be expected: under the name
	// "requests" those that arrive, under a dependency's name the calls made to it.
	Rates Map[float64] `yaml:"rates"`
}

// Layers are the neighbours in the chain of calls.
type Layers struct {
	// Callers wait for the service, the outermost first.
	Callers Map[Caller] `yaml:"callers"`
	// Below are what the service, or its dependencies, stand on without a guard
	// of their own in this file, such as a database behind a driver.
	Below Map[Below] `yaml:"below"`
}

// Caller is who waits for the service.
type Caller struct {
	// Wait is how long it waits.
	Wait time.Duration `yaml:"wait" strict:"required"`
	// Attempts is how often it tries, the first included; default 1.
	Attempts int `yaml:"attempts"`
}

// Below is a layer underneath.
type Below struct {
	// Timeout is its time limit for one try.
	Timeout time.Duration `yaml:"timeout" strict:"required"`
	// Attempts is how often it tries, the first included; default 1.
	Attempts int `yaml:"attempts"`
	// Under names the dependency that it is part of; default: the service.
	Under string `yaml:"under"`
}

// Pool is a bulkhead to be shared.
type Pool struct {
	// Size is how many calls run at once in all shares together.
	Size int `yaml:"size" strict:"required"`
}

// Inbound has no settings yet.
type Inbound struct{}

// Listen are the sidecar's addresses.
type Listen struct {
	// Egress takes the service's own calls. Default 127.0.0.1:15001.
	Egress string `yaml:"egress"`
	// Ingress stands in front of the service; without an address there is none.
	Ingress Ingress `yaml:"ingress"`
	// Admin shows the state and takes commands: an address on the loopback
	// interface, or unix:PATH. Default 127.0.0.1:15000.
	Admin string `yaml:"admin"`
}

// Ingress is the listener in front of the local service.
type Ingress struct {
	Address string `yaml:"address"`
	// To is the URL of the local service.
	To string `yaml:"to"`
	// Concurrent and Queue bound the requests that the service works on and
	// that wait; QueueWait bounds the wait.
	Concurrent int           `yaml:"concurrent"`
	Queue      int           `yaml:"queue"`
	QueueWait  time.Duration `yaml:"queue_wait"`
}

// Allow suppresses the findings of one check, with the reason why.
type Allow struct {
	Check  string `yaml:"check" strict:"required"`
	Reason string `yaml:"reason" strict:"required"`
}
