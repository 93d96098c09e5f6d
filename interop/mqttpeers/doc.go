// Package mqttpeers tests the MQTT binding against peers that are not ours: the
// npm package mqtt on Node.js, and EMQ's Python SDK of its "A2A over MQTT"
// profile, a2a-over-mqtt.
//
// The tests need Node.js 20 or later, npm, Python 3.11 or later with pip, and
// mosquitto, and have the build tag interop:
//
//	go test -tags interop -count=1 ./interop/mqttpeers
//
// They install the npm package by its lock file where it is not installed, and
// the SDK, by requirements.txt, into a virtual environment in the user's cache.
//
// client.mjs writes the documented packets by hand: every operation, streams,
// credits and resends, requests that come twice, and what cannot be answered;
// to the reference agent, and to one on JSON-RPC behind a bridge, on mosquitto
// and on the embedded broker. What each step must come to is one table, steps.
//
// requester.py and responder.py are the SDK in both roles. Where it comes to
// something else than the specification says is another table, knownFaults:
// such a step still runs, and must still fail in that way.
package mqttpeers
