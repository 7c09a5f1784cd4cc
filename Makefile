# Everything here is a short name for a command that works without make.
# Durations are those of two cores, with a warm build cache.

.DEFAULT_GOAL := help
.PHONY: help check test race fuzz bench bench-smoke sidecar lint house demo scenarios golden

FUZZTIME ?= 30s

help: ## show this
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

check: ## everything that has to hold before a commit is pushed (~5 min)
	go run ./internal/gate

test: ## all tests, without the race detector (~30 s)
	go test ./...

race: ## all tests, with the race detector (~1 min)
	go run ./internal/gate tools race

fuzz: ## every fuzz target for FUZZTIME, 30s unless given (~15 min)
	go run ./internal/gate -fuzztime $(FUZZTIME) fuzz

bench: ## six rounds beside the peers, and a verdict on each promise (~12 min; the sidecar's on Linux with wrk)
	cd bench && status=0; go run ./cmd/verdict || status=1; go run ./sidecar -judge || status=1; exit $$status

bench-smoke: ## every benchmark once, and the allocations (~1 min)
	cd bench && go vet ./... && go test -short -bench . -benchtime 1x ./...

sidecar: ## the sidecar beside other proxies; needs Linux and wrk (~3 min)
	cd bench && go run ./sidecar

lint: ## vet, staticcheck, go fix and the house rules (~30 s)
	go run ./internal/gate house vet staticcheck fix

house: ## the house rules alone (~2 s)
	go run ./internal/gate house

demo: ## the incident and what helps, in the terminal (~20 s)
	go run ./cmd/stanch demo

scenarios: ## play every incident and check what is expected (~5 s)
	go run ./cmd/stanch sim scenarios/*.yaml

golden: ## rewrite golden files: then read the diff, it is the review (~20 s)
	grep -rlE --include='*_test.go' 'internal/golden"|flag.Bool\("update"' . | xargs -n 1 dirname | sort -u | xargs -I DIR go test DIR -update
