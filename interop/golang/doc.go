// Package golang tests against the official Go SDK,
// github.com/a2aproject/a2a-go/v2, as client and as server, with its own three
// transports and not with those of package a2asdk.
//
// The tests need Go alone, and have the build tag interop for company:
//
//	go test -tags interop -count=1 ./interop/golang
//
// The programs of package interop/sdk are the test itself, run with "client" or
// "server" for its first argument.
package golang
