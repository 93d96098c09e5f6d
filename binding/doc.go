// Package binding is the waist of a2awire: the eleven operations of A2A v1.0
// as one Go interface, and what it takes to carry them over a wire.
//
// An [Agent] answers the operations. A [Conn] carries them as payloads, two
// methods wide, and is what the author of a wire writes. [Local] makes a Conn
// of an Agent and [Remote] an Agent of a Conn, so a bridge is a server whose
// agent was dialed:
//
//	server.Serve(ctx, iface, client)
//
// What the specification asks of every binding alike (versions, extensions,
// required fields, capabilities, limits, panics) is done here, once, by
// [Inbound] in front of every server and by [Outbound] behind every client. A
// wire only reads and writes its bytes.
package binding
