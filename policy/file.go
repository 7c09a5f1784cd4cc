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

// A Fault is one thing wrong in a policy, with its place; Faults, an error, are
// all of them.
type (
	Fault  = strict.Fault
	Faults = strict.Faults
)

// A File is a whole policy.
type File struct {
	// Version is that of the format: 1. Every file says it, also one that is
	// included.
	Version int `yaml:"version" strict:"required"`
	// Include lays this file over others, a later one over an earlier one, key by
	// key; a null takes a key away. Paths are relative to the file that names
	// them. Default none; at most 64 files in all.
	Include []string `yaml:"include"`
	// Service describes the service whose policy it is. Nothing of it is needed
	// to guard calls; the checks work with it.
	Service Service `yaml:"service"`
	// Layers are those above and below the service, whose limits must fit.
	Layers Layers `yaml:"layers"`
	// Pools are bulkheads that several dependencies share, by name.
	Pools Map[Pool] `yaml:"pools"`
	// Dependencies are what the service calls, by name. To the sidecar, what is
	// not listed does not exist. A name has letters, digits, _ and -, and at most
	// 63 of them.
	Dependencies Map[Dependency] `yaml:"dependencies"`
	// Listen says where the sidecar listens.
	Listen Listen `yaml:"listen"`
	// Inbound says what the service takes in. Default: everything.
	Inbound *Inbound `yaml:"inbound"`
	// Allow suppresses findings of checks that concern the file as a whole.
	Allow []Allow `yaml:"allow"`
}

// Service is the service itself.
type Service struct {
	// Name is what the service is called in metrics and messages. Default none.
	Name string `yaml:"name"`
	// Deadline is how long a request to the service may take in all. Default 0s:
	// not known. Range: 0s or more.
	Deadline time.Duration `yaml:"deadline"`
	// Workers is how many requests it works on at once. Default 0: not known, or
	// no limit. Range: 0 or more.
	Workers int `yaml:"workers"`
	// Instances is how many instances of it run beside each other, each with this
	// policy. Default 0: not known. Range: 0 or more.
	Instances int `yaml:"instances"`
	// Tenants is how many tenants use it at the same time. Default 0: not known.
	// Range: 0 or more.
	Tenants int `yaml:"tenants"`
	// Rates are the requests a second that are to be expected: under the name
	// "requests" those that arrive, under a dependency's name the calls made to
	// it. Default none. Range: 0 or more.
	Rates Map[float64] `yaml:"rates"`
}

// Layers are the neighbours in the chain of calls.
type Layers struct {
	// Callers wait for the service, by name, the outermost first.
	Callers Map[Caller] `yaml:"callers"`
	// Below are what the service, or its dependencies, stand on without a guard
	// of their own in this file, by name, such as a database behind a driver.
	Below Map[Below] `yaml:"below"`
}

// Caller is who waits for the service.
type Caller struct {
	// Wait is how long it waits. Range: above 0s.
	Wait time.Duration `yaml:"wait" strict:"required"`
	// Attempts is how often it tries, the first time included. Default 1.
	// Range: 0 to 100.
	Attempts int `yaml:"attempts"`
}

// Below is a layer underneath.
type Below struct {
	// Timeout is its time limit for one try. Range: above 0s.
	Timeout time.Duration `yaml:"timeout" strict:"required"`
	// Attempts is how often it tries, the first time included. Default 1.
	// Range: 0 to 100.
	Attempts int `yaml:"attempts"`
	// Under names the dependency that it is part of. Default: the service.
	Under string `yaml:"under"`
}

// Pool is a bulkhead to be shared.
type Pool struct {
	// Size is how many calls run at once in all shares together. Range: 1 to
	// 2147483647.
	Size int `yaml:"size" strict:"required"`
}

// Addresses on which the sidecar listens unless told otherwise.
const (
	DefaultEgress = "127.0.0.1:15001"
	DefaultAdmin  = "127.0.0.1:15000"
)

// Listen are the sidecar's addresses.
type Listen struct {
	// Egress takes the service's own calls: HOST:PORT on the loopback interface.
	// Default 127.0.0.1:15001.
	Egress string `yaml:"egress"`
	// Exposed lets Egress be an address that other machines reach. Then everyone
	// who reaches it can call every dependency as this service. Default false.
	Exposed bool `yaml:"exposed"`
	// EgressTLS has Egress speak TLS. Default: none.
	EgressTLS ServerTLS `yaml:"egress_tls"`
	// Ingress stands in front of the service; without an address there is none.
	Ingress Ingress `yaml:"ingress"`
	// Admin shows the state and takes commands: HOST:PORT on the loopback
	// interface, and no other, or unix:PATH. Default 127.0.0.1:15000.
	Admin string `yaml:"admin"`
}

// Ingress is the listener in front of the local service. How much it takes in is
// said by the section inbound.
type Ingress struct {
	// Address is where it listens, HOST:PORT; for all interfaces the host is
	// 0.0.0.0 or [::]. Default none: no ingress.
	Address string `yaml:"address"`
	// To is the URL of the local service. Needed with Address.
	To string `yaml:"to"`
	// TLS has the listener speak TLS. Default: none.
	TLS ServerTLS `yaml:"tls"`
	// TrustForwarded appends to the Forwarded and X-Forwarded-For headers that
	// come in, instead of dropping them: only behind a proxy that is one's own.
	// Default false.
	TrustForwarded bool `yaml:"trust_forwarded"`
}

// Allow suppresses the findings of one check, with the reason why.
type Allow struct {
	// Check is the code of the check.
	Check string `yaml:"check" strict:"required"`
	// Reason says why the finding is no fault here. It must not be empty.
	Reason string `yaml:"reason" strict:"required"`
}
