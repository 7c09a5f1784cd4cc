// Package outcome is the vocabulary in which a finished attempt is described:
// what it says about the dependency, whether another attempt is worth it, and
// when the dependency asked to be called again.
//
// The whole module speaks it: the breaker counts outcomes, the retry loop asks
// for the verdict, the adapters give it for HTTP statuses and the like.
package outcome

import "fmt"

// Outcome is what one finished attempt says about the dependency's health.
type Outcome uint8

const (
	// Success: the dependency did its work. An answer that the caller does not
	// like, such as "not found" or "balance too low", is still a success.
	Success Outcome = iota
	// Failure: the dependency did not do its work: an error of its own, or no
	// answer within the time it was given.
	Failure
	// Ignored: the attempt says nothing about the dependency: the caller went
	// away, an inner guard refused, or the error is one that was excluded.
	Ignored
)

func (o Outcome) String() string {
	switch o {
	case Success:
		return "success"
	case Failure:
		return "failure"
	case Ignored:
		return "ignored"
	}
	return fmt.Sprintf("outcome(%d)", uint8(o))
}
