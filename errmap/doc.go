// Package errmap is the only place that knows what errors look like on a wire:
// one ordered table, read in both directions for JSON-RPC (spec 9.5), gRPC
// (spec 10.6) and HTTP (spec 11.6).
//
// What decides is the ErrorInfo's reason, then the JSON-RPC code, then the
// status: seven of the nine A2A errors share one HTTP status, and the statuses
// changed between 1.0.0 and 1.0.1. Details keep their bytes over every wire.
package errmap
