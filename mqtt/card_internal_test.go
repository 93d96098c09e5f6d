package mqtt

import (
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/structpb"
)

// A card says where its own agent is, whatever it said before.
func TestCardParameters(t *testing.T) {
	old := map[string]*structpb.Value{"org": structpb.NewStringValue("elsewhere"), "pool": structpb.NewStringValue("other")}
	card := &pb.AgentCard{Capabilities: &pb.AgentCapabilities{Extensions: []*pb.AgentExtension{
		{Uri: Protocol, Params: &structpb.Struct{Fields: old}}, {Uri: "https://example.com/x"},
	}}}
	o := new(Options).resolve()
	require.NoError(t, complete(card, "mqtt://broker:1883", Address{"007", "1e3", "5"}, &o))
	all := card.GetCapabilities().GetExtensions()
	require.Len(t, all, 2)
	assert.Equal(t, "https://example.com/x", all[0].GetUri())
	assert.Equal(t, map[string]any{"root": DefaultRoot, "org": "007", "unit": "1e3", "agent": "5", "streamWindow": 1024.0, "maxPacketBytes": 9568256.0},
		all[1].GetParams().AsMap())
	o.Pool = "42"
	require.NoError(t, complete(card, "mqtt://broker:1883", Address{"007", "1e3", "5"}, &o))
	assert.Equal(t, "42", card.GetCapabilities().GetExtensions()[1].GetParams().AsMap()["pool"])
	o.Root = "\xff"
	require.Error(t, complete(card, "mqtt://broker:1883", Address{"007", "1e3", "5"}, &o))
}
