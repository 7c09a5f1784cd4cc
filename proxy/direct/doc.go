// Package direct is an HTTP/1.1 client for the requests of a proxy that are
// simple and may be sent twice: those that [Takes] reports. One goroutine, the
// caller's, writes the request and reads the answer, where http.Transport has
// two of its own for each connection and hands everything over between them.
//
// Messages are parsed by net/http. What is ours is the writing of a header, when
// a connection may be used again, and how one is given up.
package direct
