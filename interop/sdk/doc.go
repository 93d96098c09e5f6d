//go:build interop

// Package sdk is what the legs against official SDKs share: the conversations,
// what each step of them must come to, and the routes on which they are held.
//
// An [SDK] has two programs. Its client is called with a URL below which a
// card is shown, the transport to speak, and "full" or "strict"; it holds that
// conversation and prints one line of JSON a step:
//
//	{"step", "ok": true, "result"}
//	{"step", "error": {"name", "reason", "code", "message", "metadata"}, "result"}
//
// with ProtoJSON as results, and the events of a stream, before it failed if it
// did, in a list. Its server is two agents on all transports at free loopback
// ports: it prints {"full": URL, "strict": URL}, below which their cards are
// shown, and ends when its input does.
//
// The client talks with our reference agent, and our client with the server,
// directly and through our bridge from each of our bindings. The steps are one
// table. Where an SDK comes to something else, that is a [Fault] of it: such a
// step still runs, and must still fail in that way.
package sdk
