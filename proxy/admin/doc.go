// Package admin shows what the sidecar does and takes commands: a page for people,
// and health, metrics, status, policy and events for programs; breakers can be
// forced, and faults set that end by themselves.
//
// Only this machine reaches it: it listens on loopback or on a unix socket, which
// its owner alone may open. A browser on this machine reaches it too, on behalf of
// whatever page it has open. Requests must therefore name a host of loopback,
// against DNS rebinding, and commands must come from its own page or from no page
// at all, against cross-site request forgery.
package admin
