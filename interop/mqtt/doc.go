// Package mqtt tests the MQTT binding against a broker that is not ours:
// mosquitto, with the faults that a real network and a real broker have.
//
// The tests need mosquitto and its clients, and have the build tag interop:
//
//	apt-get install mosquitto mosquitto-clients
//	go test -tags interop -count=1 ./interop/mqtt
//
// Every test starts brokers of its own, on free ports of the loopback
// interface. Where a packet has to be lost, a connection to be cut or to be
// stalled, a proxy that reads MQTT packets stands before the broker. Where a
// process has to die, the test program runs itself as an agent.
package mqtt
