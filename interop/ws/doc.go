// Package ws tests the WebSocket binding against WebSocket software that is
// not ours: the npm package ws on Node.js, and Chromium.
//
// The tests need Node.js 20 or later, npm, and Chromium, and have the build
// tag interop:
//
//	go test -tags interop -count=1 ./interop/ws
//
// They install the npm package by its lock file where it is not installed.
//
// client.mjs writes the documented frames by hand, in both dialects: every
// operation, streams, credits and cancels, to the reference agent served by
// the binding, and to one on gRPC behind a bridge; and every handshake that is
// refused and every code that a connection is closed with. What each step must
// come to is one table, steps. server.mjs is a server of the proposal, written
// by hand too, to which our client connects. The tests in Chromium drive the
// page of examples/browser as its user would.
package ws
