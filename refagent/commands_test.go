package refagent

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/a2awire/a2awire/binding"
)

func TestCommands_WhatIsNoneIsEchoed(t *testing.T) {
	a := newAgent(t, nil)
	for _, text := range []string{
		"", "  ", "Echo x", "hello\nworld", "message", "stream", "stream x", "stream -1", "stream 1 2", "stream 99999999999",
		"chunks 1", "chunks 1 x", "long", "long x", "long -1", "long NaN", "long 1e300", "error", "error Nope",
		"error-after 1", "error-after x InternalError", "error-after 1 Nope",
	} {
		assert.Equal(t, []string{"echo: " + text}, texts(send(t, a, say(text))), "%q", text)
	}
}

func TestCommands_FirstTextPartDrives(t *testing.T) {
	a := newAgent(t, nil)
	r := say("input")
	r.Message.Parts = append([]*pb.Part{dataPart(structpb.NewNumberValue(1))}, r.Message.Parts...)
	r.Message.Parts = append(r.Message.Parts, textPart("fail"))
	assert.Equal(t, "INPUT_REQUIRED", stateOf(send(t, a, r)))
}

func TestCommands_LongTakesDecimals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(t, nil)
		start := time.Now()
		send(t, a, say("long 2.5"))
		assert.Equal(t, 2500*time.Millisecond, time.Since(start))
	})
}

func TestCommands_StatusMessages(t *testing.T) {
	a := newAgent(t, nil)
	for _, text := range []string{"fail", "reject"} {
		assert.NotEmpty(t, send(t, a, say(text)).GetStatus().GetMessage().GetParts()[0].GetText())
	}
}

func TestCommands_ChunksOfNoBytes(t *testing.T) {
	a := newAgent(t, nil)
	assert.Equal(t, []string{"", ""}, texts(send(t, a, say("chunks 2 0"))))
	assert.Equal(t, []string{"chunk"}, texts(send(t, a, say("chunks 1 5"))))
}

func TestCommands_ErrorAfter(t *testing.T) {
	a := newAgent(t, nil)
	for text, want := range map[string][]string{
		"error-after 0 InternalError": nil,
		"error-after 1 InternalError": {"task SUBMITTED"},
		"error-after 2 InternalError": {"task SUBMITTED", "WORKING"},
		"error-after 4 InternalError": {"task SUBMITTED", "WORKING", "artifact chunk 1", "artifact chunk 2"},
	} {
		events, err := collect(a.SendStreamingMessage(t.Context(), nil, say(text)))
		assert.Equal(t, want, brief(events))
		require.ErrorIs(t, err, binding.ErrInternal)
		assert.Equal(t, "InternalError", binding.Flatten(err).Info().GetMetadata()["error"])
		if len(events) > 0 {
			assert.Equal(t, "FAILED", stateOf(get(t, a, events[0].GetTask().GetId())))
		}
		assert.Equal(t, binding.Internal, sendFails(t, a, say(text)).Code, "without a stream")
	}
}

func TestCommands_Mirror(t *testing.T) {
	a := newAgent(t, nil)
	r := say("mirror")
	r.Tenant = "acme"
	r.Metadata = &structpb.Struct{Fields: map[string]*structpb.Value{"k": structpb.NewNumberValue(1.5)}}
	zero := int32(0)
	r.Configuration = &pb.SendMessageConfiguration{HistoryLength: &zero}
	call := &binding.Call{
		Params:     binding.Params{"a2a-version": "1.0", "x-trace": "Ab"},
		Credential: "Bearer secret",
	}
	resp, err := a.SendMessage(t.Context(), call, r)
	require.NoError(t, err)
	data := resp.GetTask().GetArtifacts()[0].GetParts()[0].GetData()
	got := data.GetStructValue().AsMap()
	assert.Equal(t, "acme", got["tenant"])
	assert.Equal(t, map[string]any{"k": 1.5}, got["metadata"])
	assert.Equal(t, map[string]any{"a2a-version": "1.0", "x-trace": "Ab"}, got["serviceParameters"])
	params := got["params"].(map[string]any)
	assert.Equal(t, map[string]any{"historyLength": 0.0}, params["configuration"], "presence is kept")
	assert.Equal(t, r.Message.MessageId, params["message"].(map[string]any)["messageId"])
	assert.NotContains(t, data.String(), "secret")
}

func TestCommands_MirrorOfWhatJSONCannotCarry(t *testing.T) {
	a := newAgent(t, nil)
	r := say("mirror")
	r.Metadata = &structpb.Struct{Fields: map[string]*structpb.Value{"k": {}}}
	assert.Equal(t, "FAILED", stateOf(send(t, a, r)))
}

// What the agent gives passes the layer in front of every server: required
// fields, order of streams, sizes.
func TestCommands_PassTheSharedLayer(t *testing.T) {
	a := newAgent(t, nil)
	card := a.Card(&pb.AgentInterface{Url: "http://agent.example", ProtocolBinding: "HTTP+JSON"})
	in := binding.NewInbound(a, &binding.Options{DefaultVersion: binding.Version, Card: binding.StaticCard(card)})
	c := binding.Remote(in)
	for _, cmd := range commands {
		if cmd.word == "long" {
			continue // takes time and gives nothing else
		}
		_, err := c.SendMessage(t.Context(), nil, say(cmd.example))
		if cmd.word == "auth" {
			require.NoError(t, err)
			continue // its stream stays open
		}
		_, streamErr := collect(c.SendStreamingMessage(t.Context(), nil, say(cmd.example)))
		if strings.HasPrefix(cmd.word, "error") {
			require.Error(t, err)
			require.Error(t, streamErr)
			continue
		}
		require.NoError(t, err, cmd.example)
		require.NoError(t, streamErr, cmd.example)
	}
	_, err := c.ListTasks(t.Context(), nil, &pb.ListTasksRequest{})
	require.NoError(t, err)
	_, err = c.GetExtendedAgentCard(t.Context(), nil, &pb.GetExtendedAgentCardRequest{})
	require.NoError(t, err)
}
