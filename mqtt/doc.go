// Package mqtt is the MQTT 5 binding: JSON-RPC 2.0 in PUBLISH packets, through
// a broker, for agents that no connection can be made to. SPEC.md in this
// folder says what goes over the wire. It is a superset of EMQ's "A2A over
// MQTT" profile 0.1.
//
// An agent that has a [Connection] to a broker uses [Serve]; a client uses
// [Dial]. [Binding] is the same as a registry takes it. [Discover] finds agents
// by the cards that they keep at the broker.
//
// # Addresses
//
// The address of an agent is [Address]: org/unit/agent, each of letters,
// digits, '_', '.' and '-'. With its broker it is a URL:
//
//	mqtt://host[:port]/org/unit/agent
//	mqtts://host[:port]/org/unit/agent         with TLS
//	mqtt://host[:port]/org/unit/pool/name      any instance of a pool
//
// The port is 1883, or 8883 with TLS. Users and passwords of the broker go into
// the options, never into the URL.
package mqtt

// Protocol is the protocolBinding of this binding (spec 5.8).
const Protocol = "https://github.com/a2awire/a2awire/bindings/mqtt/v1"

// ProfileProtocol is the protocolBinding of EMQ's profile, which this binding
// speaks too.
const ProfileProtocol = "MQTTv5+JSONRPCv2"

// DefaultRoot is where the topics of agents begin.
const DefaultRoot = "$a2a/v1"
