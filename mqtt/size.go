package mqtt

import (
	"errors"

	"github.com/a2awire/a2awire/binding"
)

// packetBytes is how large a packet may be that carries a message of so many
// bytes: the envelope, the properties, and the white space of who writes for
// people come on top.
func packetBytes(message int) int { return message + message/8 + 128<<10 }

// defaultPacketBytes is the largest packet that is taken unless somebody says
// otherwise: what a requester takes that does not say.
const defaultPacketBytes = binding.DefaultMaxMessageBytes + binding.DefaultMaxMessageBytes/8 + 128<<10

// errTooLarge is why a packet was not published.
var errTooLarge = errors.New("packet too large")

// tooLarge is the error for a packet that somebody on its way would drop.
func tooLarge(n, limit int) error {
	e := binding.Errorf(binding.ResourceExhausted, "an MQTT packet of %d bytes is over the limit of %d bytes", n, limit)
	e.Cause = errTooLarge
	return e
}

// size is how many bytes the message takes as a PUBLISH of QoS 1.
func (m *message) size() int {
	props := 2 // Payload Format Indicator
	if m.response != "" {
		props += 3 + len(m.response)
	}
	if m.correlation != "" {
		props += 3 + len(m.correlation)
	}
	if m.content != "" {
		props += 3 + len(m.content)
	}
	if m.expiry > 0 {
		props += 5
	}
	for i := range m.user {
		props += 5 + len(m.user[i].Key) + len(m.user[i].Value)
	}
	rest := 2 + len(m.topic) + 2 + varint(props) + props + len(m.payload)
	return 1 + varint(rest) + rest
}

// varint is the size of a Variable Byte Integer.
func varint(n int) int {
	size := 1
	for n >>= 7; n > 0; n >>= 7 {
		size++
	}
	return size
}

// weight is what an item of so many bytes counts in a stream's window. No item
// counts for more than what a receiver takes before it grants: else a sender
// could wait for room that nobody will make.
func weight(n int) int { return min(n, streamBytes/2) }
