// Package js tests against the official JavaScript SDK, @a2a-js/sdk, as client
// and as server, over its three transports.
//
// The tests need Node.js 20 or later and the SDK, and have the build tag
// interop:
//
//	cd interop/js && npm ci --no-audit --no-fund
//	go test -tags interop -count=1 ./interop/...
//
// client.mjs holds a conversation of the SDK's client, server.mjs is two agents on
// its server: see package interop/sdk.
package js
