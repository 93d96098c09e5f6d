// Package a2asdk joins this library to the official Go SDK,
// github.com/a2aproject/a2a-go/v2: an agent that is written with one is served,
// and called, by the other.
//
//   - [FromHandler] makes an Agent of the SDK's RequestHandler, and so of any
//     AgentExecutor. Every binding serves it.
//   - [ToHandler] makes a RequestHandler of an Agent, local or dialed, for the
//     SDK's own servers and interceptors.
//   - [WithBindings] lets the SDK's client reach agents over every binding of
//     a registry; [ToTransport] does so for one dialed agent.
//   - [FromCard] and [ToCard] convert Agent Cards.
//
// From always leads out of the SDK, and To into it.
//
// # What does not cross
//
// The SDK's types have no place for some of what the data model distinguishes:
// whether a capability, a card's iconUrl and documentationUrl, or
// ListTasksRequest.includeArtifacts is unset or set to its default. Unset is
// what such a field becomes. All else crosses as it is, data parts of every
// JSON type and the details of errors included.
//
// What the SDK knows of a call is its CallContext. It holds the service
// parameters and, as "authorization", the credential; the lists of
// a2a-extensions are split. For the rest of what travels beside a call there
// are [Peer], [SetReply] and [WithReply].
package a2asdk
