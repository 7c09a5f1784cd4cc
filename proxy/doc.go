// Package proxy is the sidecar: it stands between a service, written in any
// language, and what the service calls, and guards these calls as the policy
// file says.
//
// The service reaches its dependencies through the egress listener: by a base URL
// with the dependency's name as the first part of the path, by the Host header, or
// by using it as its HTTP proxy, with CONNECT for what is encrypted end to end.
// Nothing but the declared dependencies can be reached. The optional ingress
// listener stands in front of the service, and takes in what package inbound
// admits.
//
// It adds no second way of making a call: every request is one call of the
// library, stanchhttp.Transport.Ask, and a tunnel is one of stanch.Do. The
// policy can be swapped while requests are in flight; these end under the one
// that they began with, and what has not changed keeps its state.
package proxy
