// Package mux is what wires that carry many calls over one connection share:
// how far a stream's sender may be ahead of its receiver, and what the receiver
// holds until its caller takes it.
package mux
