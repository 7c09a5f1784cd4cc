// Package stanchtest helps to test code that calls guarded dependencies: a
// [Recorder] tells what the guards did, a [Script] plays a dependency that
// answers, fails, hangs or panics as it is told.
//
// For virtual time use the standard library's testing/synctest: inside of
// synctest.Test timeouts, backoffs and cooldowns of this module take no real
// time and are exact, as long as the Dependency is made there too. The example
// of the package shows it.
package stanchtest
