// Package stanchhttp guards HTTP. [Transport] puts a *stanch.Dependency around
// an http.RoundTripper, [NewClient] builds an http.Client with every time limit
// set, [Handler] gives requests that come in the time their caller has left, and
// [Inbound] admits or refuses them as well.
//
// Code that uses an http.Client stays as it is: a call that the guard refuses is
// an error in which errors.Is finds the reason, and everything that the server
// answered is a response, also when it was a 503 and the last of several tries.
// Code that wants alternatives calls stanch.Ask and turns bad answers into
// errors with [Check].
package stanchhttp
