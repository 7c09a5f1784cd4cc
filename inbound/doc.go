// Package inbound decides which requests a service takes in: early, cheaply, the
// important ones first, and with a reason that can be told.
//
// It joins the mechanisms of packages ratelimit, quota, shed and adaptive in one
// fixed order, as package stanch does for the calls that go out:
//
//	remaining time -> limits -> quotas -> priority, queue and concurrency
//	-> the work -> release -> record
//
// What costs nothing and depends on the request alone comes first; a place among
// the requests in flight, which everybody waits for, is taken last and held for
// the work only. So a request that is shed has used its limits and quotas: they
// count what a tenant asks for, not what came of it.
//
//	control, err := inbound.New("shop", inbound.Config{
//		Limits:      []inbound.Limit{{Name: "tenant", By: inbound.Tenant, Rate: 100}},
//		Concurrency: inbound.Concurrency{Config: shed.Config{Limit: 64}},
//	})
//	...
//	admission, err := control.Admit(ctx, inbound.Request{Tenant: tenant, Path: "/search"})
//	if err != nil {
//		return err // a *stanch.Refusal, or the error of ctx
//	}
//	defer func() { admission.Done(result) }()
//
// Adapters do this for their protocol: stanchhttp.Inbound is an http.Handler, and
// the sidecar's ingress is built on the same. A Controller is safe for concurrent
// use and starts no goroutine.
package inbound
