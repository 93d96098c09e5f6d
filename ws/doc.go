// Package ws is the WebSocket binding: many calls and streams over one socket,
// with back-pressure for each stream. SPEC.md says what is on the wire.
//
// An agent that has a mux mounts a [Handler]; a client uses [Dial]. [Binding]
// is the same as a registry takes it.
package ws

// Protocol is the protocolBinding of this binding (spec 5.8).
const Protocol = "https://github.com/a2awire/a2awire/bindings/websocket/v1"

// ProposalProtocol is the name that the proposal for A2A gives this wire. A
// card lists it behind Protocol, with the same URL, for clients that know no other.
const ProposalProtocol = "WEBSOCKET"

// Aliases are the other names under which cards may list this wire: the
// proposal's, and those that it is likely to get when it is accepted.
func Aliases() []string {
	const official = "https://a2a-protocol.org/bindings/"
	return []string{ProposalProtocol, official + "websocket", official + "websocket/v1",
		official + "experimental-websocket", official + "experimental-websocket/v1"}
}

// The subprotocols, of which a handshake chooses one.
const (
	// subprotocolFlow is the proposal with flow control.
	subprotocolFlow = "a2a.v1.flow"
	// subprotocol is the proposal.
	subprotocol = "a2a.v1"
)
