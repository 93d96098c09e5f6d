// Package rust tests against the official Rust SDK, a2a-rs, as client and as
// server, over its three transports.
//
// The tests need Rust 1.85 or later, build the SDK and what it depends on from
// source, and have the build tag interop:
//
//	go test -tags interop -count=1 ./interop/...
//
// src/bin/client.rs holds a conversation of the SDK's client, src/bin/server.rs
// is two agents on its server: see package interop/sdk.
package rust
