package embedded

import (
	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"
)

// manners are what this broker does and the one below does not by itself: it
// lets in all clients, to all topics, and tells them its packet limit.
type manners struct {
	mochi.HookBase
	maxPacketBytes uint32
}

// ID names the hook in the broker's log.
func (*manners) ID() string { return "manners" }

// Provides says what the broker asks this hook.
func (*manners) Provides(question byte) bool {
	return question == mochi.OnConnectAuthenticate || question == mochi.OnACLCheck || question == mochi.OnPacketEncode
}

// OnConnectAuthenticate lets a client in.
func (*manners) OnConnectAuthenticate(*mochi.Client, packets.Packet) bool { return true }

// OnACLCheck lets a client read or write a topic.
func (*manners) OnACLCheck(*mochi.Client, string, bool) bool { return true }

// OnPacketEncode adds the limit to a CONNACK: a client that does not know it is
// disconnected for a packet that is too large.
func (m *manners) OnPacketEncode(_ *mochi.Client, p packets.Packet) packets.Packet {
	if p.FixedHeader.Type == packets.Connack {
		p.Properties.MaximumPacketSize = m.maxPacketBytes
	}
	return p
}
