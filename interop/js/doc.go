// Package js tests against the official JavaScript SDK, @a2a-js/sdk, as client
// and as server, over its three transports.
//
// The tests need Node.js 20 or later and the SDK, and have the build tag
// interop:
//
//	cd interop/js && npm ci --no-audit --no-fund
//	go test -tags interop -count=1 ./interop/...
//
// client.mjs holds one conversation of the SDK's client with our reference
// agent, directly and through a bridge from each binding to each. server.mjs
// is two agents on the SDK's server, with which our client holds the same
// conversation as far as they go. What each step must come to is one table,
// and where the SDK comes to something else is another, knownFaults: such a
// step still runs, and must still fail in that way.
package js
