// Package e2e tests the sidecar from outside: the real binary is built and run
// as a process, between real clients (Python's requests, curl, gRPC, WebSocket,
// h2spec) and dependencies that stall, stream and break, all on loopback.
//
// Its tests take real time, so they run one after the other and wait for events
// with a limit, never for a while. Programs that a machine has not are missed
// only outside CI. Two kinds are run by hand:
//
//	go test -run '^$' -bench Overhead ./e2e     # beside a bare reverse proxy
//	STANCH_E2E_LONG=1 go test -run Held ./e2e   # 2,000 connections for a minute
package e2e
