// Package grpcurl tests the gRPC binding against grpcurl, which knows of A2A what
// the server's reflection tells it.
//
// The tests need Go alone, which builds the program, and have the build tag
// interop:
//
//	go test -tags interop -count=1 ./interop/grpcurl
package grpcurl
