// Package itk tests what the official Integration Test Kit has SDKs do with each
// other: a message sends an agent on an errand to another agent, which sends a
// third one, each with its own SDK's client, and what they say comes back the
// same way. Ours is always one of the three, as server of the one before it and
// client of the one behind it, and in every place.
//
// An edge is a transport and one of four behaviours: send, stream, push, and
// resubscribe, which leaves a stream at its first event, subscribes, and cancels
// the task. All journeys are made once more with each agent behind our bridge.
//
//	go test -tags interop -count=1 ./interop/itk
package itk
