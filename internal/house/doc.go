// Package house holds the rules of this module as tests: which package may
// import which, what may depend on what, how files are named, sized and
// formatted, that everything exported is documented, and that the documentation
// is true: its Go compiles, its scenarios parse, its links lead somewhere.
//
// A rule that fails says what to do. Exceptions have their reasons beside them,
// in exceptions_test.go, and one that is no longer needed fails too.
package house
