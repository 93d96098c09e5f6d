# What developers type often. The README's two commands need none of this.

GOLANGCI = github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

.PHONY: check test race lint interop bench fuzz goldens

check: test race lint ## all that needs no software but Go

test:
	go test ./...

race:
	go test -race -timeout 40m ./...

lint:
	go run $(GOLANGCI) run ./...
	go run $(GOLANGCI) run --build-tags interop ./interop/...

# The bound is of all legs together, where go test's -timeout is of each package.
# What hangs is told to say where (QUIT). Where there is no timeout, the clock
# alone tells. At a terminal the legs stay in front, so that Ctrl-C ends them.
INTEROP_SECONDS = 900

interop: ## tests against software that nobody here wrote, within a quarter of an hour
	@began=$$(date +%s); bound=; front=; \
		if [ -t 0 ]; then front=--foreground; fi; \
		if command -v timeout >/dev/null; then bound="timeout $$front -s QUIT -k 30 $(INTEROP_SECONDS)"; fi; \
		$$bound go test -tags interop -count=1 ./interop/...; code=$$?; \
		took=$$(( $$(date +%s) - began )); echo "interop took $$took seconds"; \
		if [ $$took -ge $(INTEROP_SECONDS) ]; then echo "interop: not done within $(INTEROP_SECONDS) seconds" >&2; exit 1; fi; \
		exit $$code

bench: ## the table of ratios
	go run ./bench

fuzz: ## half a minute on every decoder
	@for f in $$(grep -rl 'func Fuzz' --include=*_test.go . ); do \
		for n in $$(sed -n 's/^func \(Fuzz[A-Za-z]*\).*/\1/p' $$f); do \
			echo "== $$(dirname $$f) $$n"; go test $$(dirname $$f) -run xxx -fuzz "^$$n$$" -fuzztime 30s || exit 1; \
		done; done

goldens: ## write the wire goldens anew, to be read in review
	go test ./jsonrpc ./rest ./grpcbind ./ws ./mqtt -run Golden -update
