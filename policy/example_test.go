package policy_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/policy"
)

// The dependencies of a policy file, by name.
func Example() {
	p, err := policy.Load("testdata/good/fifteen.yaml")
	if err != nil {
		log.Fatal(err) // every fault, each with its line
	}
	set, err := p.Build(nil)
	if err != nil {
		log.Fatal(err)
	}
	recommend, err := set.Dependency("recommend")
	if err != nil {
		log.Fatal(err)
	}
	list, err := stanch.Do(context.Background(), recommend, func(context.Context) (string, error) { return "three articles", nil })
	fmt.Println(list, err, recommend.Config().Timeout.Total)
	// Output: three articles <nil> 600ms
}

// A policy that is loaded again takes over what has not changed, with its state.
func ExampleFile_Build() {
	read := func(text string) *policy.Policy {
		p, err := policy.Parse("policy.yaml", []byte(text))
		if err != nil {
			log.Fatal(err)
		}
		return p
	}
	first, err := read(`
version: 1
dependencies:
  recommend: {class: optional_read}
  events: {class: side_path}
`).Build(nil)
	if err != nil {
		log.Fatal(err)
	}
	second, err := read(`
version: 1
dependencies:
  recommend: {class: optional_read, timeout: {attempt: 200ms}}
  events: {class: side_path}
`).Build(first)
	if err != nil {
		log.Fatal(err)
	}
	for name, d := range second.All() {
		before, _ := first.Dependency(name)
		fmt.Println(name, "lives on:", d == before)
	}
	// Output:
	// recommend lives on: false
	// events lives on: true
}

// What the service takes in, by the same file.
func ExampleFile_Controller() {
	p, err := policy.Parse("policy.yaml", []byte(`
version: 1
service: {name: shop, deadline: 1500ms}
inbound:
  limits: {login: {route: POST /login, by: address, rate: 2, window: 1m}}
  priorities: {routes: {/export: sheddable}}
  concurrency: {limit: 64}
`))
	if err != nil {
		log.Fatal(err)
	}
	control, err := p.Controller()
	if err != nil {
		log.Fatal(err)
	}
	for range 3 {
		admission, err := control.Admit(context.Background(), inbound.Request{Method: "POST", Path: "/login", Address: "192.0.2.7"})
		if err == nil {
			admission.Done(outcome.Success) // when the work is done
		}
		fmt.Printf("%v %q\n", errors.Is(err, stanch.ErrRateLimited), admission.By())
	}
	// Output:
	// false ""
	// false ""
	// true "login"
}

// All faults of a file are found at once.
func ExampleParse() {
	_, err := policy.Parse("policy.yaml", []byte(`version: 1
dependencies:
  recommend: {class: optional_raed, timeout: {attempt: 3}}
`))
	fmt.Println(err)
	// Output:
	// policy.yaml:3:22: dependencies.recommend.class: must be one of standard, core_read, core_write, optional_read, side_path, is "optional_raed"; did you mean "optional_read"?
	// policy.yaml:3:56: dependencies.recommend.timeout.attempt: needs a unit, is 3; e.g. 3s or 3ms
}

// What is in force, and why.
func ExamplePolicy_YAML() {
	p, err := policy.Parse("policy.yaml", []byte("version: 1\nservice: {deadline: \"${DEADLINE:-2s}\"}\n"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(p.YAML()))
	// Output:
	// # policy.yaml, hash d9406c9ff900
	// version: 1  # policy.yaml:1
	// service:
	//   deadline: 2s  # default of ${DEADLINE}, policy.yaml:2
	// listen:
	//   egress: 127.0.0.1:15001  # default
	//   admin: 127.0.0.1:15000  # default
}
