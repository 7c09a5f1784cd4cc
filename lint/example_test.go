package lint_test

import (
	"fmt"
	"log"

	"github.com/stanch-go/stanch/lint"
	"github.com/stanch-go/stanch/policy"
)

// A program that takes policies from others may check them before it uses them.
func ExampleCheck() {
	p, err := policy.Parse("policy.yaml", []byte(`version: 1
service: {workers: 200, deadline: 5s, rates: {requests: 500}}
dependencies:
  platform:
    timeout: {attempt: 30s, connect: 500ms}
`))
	if err != nil {
		log.Fatal(err)
	}
	r := lint.Check(p)
	for _, f := range r.Broken(lint.Error) {
		fmt.Println(f)
		fmt.Println("  fix:", f.Remedy)
	}
	fmt.Println(r.Sums[0].Fault.Words[0])
	// Output:
	// policy.yaml:5:24: error ST402: dependencies.platform.timeout.attempt: when it hangs, 200 workers that are held for 30s each serve 6.7 requests/s, and service.rates.requests declares 500
	//   fix: bound it with bulkhead.limit below 200, which leaves the other workers free, or let a call take at most 400ms
	// policy.yaml:5:24: error ST601: dependencies.platform.timeout.attempt: a call to platform may take 30s, and the service has 5s
	//   fix: bring it below 5s, with room for what the outer layer does besides
	// 200 workers / 30s = 6.7 requests/s, if every request calls it and only time bounds the calls
}
