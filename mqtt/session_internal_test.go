package mqtt

import (
	"bytes"
	"context"
	"testing"

	"github.com/eclipse/paho.golang/packets"
	"github.com/eclipse/paho.golang/paho/session"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
)

func connected(receiveMaximum uint16) *ledger {
	l := newLedger()
	_ = l.ConAckReceived(new(bytes.Buffer), nil, &packets.Connack{Properties: &packets.Properties{ReceiveMaximum: &receiveMaximum}})
	return l
}

// send adds a publish, and is where its end is told.
func send(ctx context.Context, l *ledger) (ack, *packets.Publish, error) {
	a, p := make(ack, 1), &packets.Publish{Properties: new(packets.Properties)}
	return a, p, l.AddToSession(newPublishing(ctx, a), p, make(chan packets.ControlPacket, 1))
}

// Every publish is told its end, whatever becomes of the connection.
func TestLedger(t *testing.T) {
	ctx := t.Context()
	l := newLedger()
	_, _, err := send(ctx, l)
	require.ErrorIs(t, err, session.ErrNoConnection)

	l = connected(2)
	first, one, err := send(ctx, l)
	require.NoError(t, err)
	second, two, err := send(ctx, l)
	require.NoError(t, err)
	assert.NotEqual(t, one.PacketID, two.PacketID)
	full, cancel := context.WithCancel(ctx)
	cancel()
	_, _, err = send(full, l)
	require.ErrorIs(t, err, context.Canceled, "the broker takes two at a time")

	puback := func(id uint16, code byte) {
		_ = l.PacketReceived(&packets.ControlPacket{FixedHeader: packets.FixedHeader{Type: packets.PUBACK},
			Content: &packets.Puback{PacketID: id, ReasonCode: code, Properties: new(packets.Properties)}}, nil)
	}
	puback(one.PacketID, packets.PubackNoMatchingSubscribers)
	puback(one.PacketID, 0)
	puback(999, 0)
	err = first.wait(ctx)
	require.ErrorIs(t, err, errNobody)
	assert.Equal(t, binding.Unavailable, binding.CodeOf(err))
	_, _, err = send(ctx, l)
	require.NoError(t, err, "there is room again")

	_ = l.ConnectionLost(&packets.Disconnect{ReasonCode: packets.DisconnectSessionTakenOver})
	_ = l.ConnectionLost(nil)
	require.ErrorIs(t, second.wait(ctx), errDown)
	assert.Equal(t, byte(packets.DisconnectSessionTakenOver), l.disconnected())
	require.NoError(t, l.Ack(&packets.Publish{QoS: 1}), "it comes again")
	_ = l.ConAckReceived(new(bytes.Buffer), nil, new(packets.Connack))
	assert.Zero(t, l.disconnected())
	require.NoError(t, l.Close())
}

// All identifiers are used before one is used again, and none twice.
func TestLedgerIdentifiers(t *testing.T) {
	l := connected(65535)
	seen := map[uint16]bool{}
	for range 65535 {
		_, p, err := send(t.Context(), l)
		require.NoError(t, err)
		require.False(t, seen[p.PacketID])
		seen[p.PacketID] = true
	}
	assert.NotContains(t, seen, uint16(0))
	err := l.AddToSession(t.Context(), new(packets.Subscribe), nil)
	require.ErrorIs(t, err, session.ErrPacketIdentifiersExhausted)
}

func TestRefusals(t *testing.T) {
	for reason, code := range map[byte]binding.Code{
		0x10: binding.Unavailable, 0x87: binding.PermissionDenied, 0x90: binding.InvalidParams, 0x97: binding.ResourceExhausted,
		0x99: binding.InvalidParams, 0x80: binding.Unavailable, 0x00: "",
	} {
		assert.Equal(t, code, binding.CodeOf(ackError(packets.ControlPacket{Content: &packets.Puback{ReasonCode: reason}})), reason)
	}
}
