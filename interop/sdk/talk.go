//go:build interop

package sdk

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"iter"
	"testing"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

// talk is a conversation of our client: what client.mjs is for the SDK's.
type talk struct {
	t        *testing.T
	ctx      context.Context
	client   binding.Client
	public   *pb.AgentCard
	outcomes []Outcome
}

// answer is a message, or the error in its place.
type answer struct {
	m   proto.Message
	err error
}

func got[M proto.Message](m M, err error) answer { return answer{m, err} }

// step takes down what a step came to.
func (k *talk) step(name string, a answer) {
	o := Outcome{Step: name, OK: a.err == nil, Error: failed(a.err)}
	if o.OK {
		o.Result = k.json(a.m)
	}
	k.outcomes = append(k.outcomes, o)
}

// stream takes down what a stream came to. Each is called with the events and
// how many there were; the stream is left when it says so.
func (k *talk) stream(name string, events iter.Seq2[*pb.StreamResponse, error], each func(*pb.StreamResponse, int) (leave bool)) {
	o := Outcome{Step: name, OK: true}
	texts := []json.RawMessage{}
	for ev, err := range events {
		if err != nil {
			o.OK, o.Error = false, failed(err)
			break
		}
		texts = append(texts, k.json(ev))
		if each != nil && each(ev, len(texts)) {
			break
		}
	}
	var err error
	o.Result, err = json.Marshal(texts)
	require.NoError(k.t, err)
	k.outcomes = append(k.outcomes, o)
}

func (k *talk) json(m proto.Message) json.RawMessage {
	text, err := binding.MessagePayload(m).JSON()
	require.NoError(k.t, err)
	return text
}

func failed(err error) *Failure {
	if err == nil {
		return nil
	}
	e := binding.Flatten(err)
	return &Failure{Reason: string(e.Code), Message: e.Text(), Metadata: e.Info().GetMetadata()}
}

func (k *talk) send(call *binding.Call, req *pb.SendMessageRequest) (*pb.SendMessageResponse, error) {
	return k.client.SendMessage(k.ctx, call, req)
}

// task is what a message gives that the next steps need.
func (k *talk) task(req *pb.SendMessageRequest) *pb.Task {
	resp, err := k.send(nil, req)
	require.NoError(k.t, err)
	require.NotNil(k.t, resp.GetTask())
	return resp.GetTask()
}

func (k *talk) cancel(id string) (*pb.Task, error) {
	return k.client.CancelTask(k.ctx, nil, &pb.CancelTaskRequest{Id: id})
}

// say is a request with a text, and what else its message has.
func say(text string, more ...*pb.Part) *pb.SendMessageRequest {
	return &pb.SendMessageRequest{Message: &pb.Message{
		MessageId: rand.Text(), Role: pb.Role_ROLE_USER,
		Parts: append([]*pb.Part{{Content: &pb.Part_Text{Text: text}}}, more...),
	}}
}

// with is a request, changed.
func with(req *pb.SendMessageRequest, change func(*pb.SendMessageRequest)) *pb.SendMessageRequest {
	change(req)
	return req
}

func configured(req *pb.SendMessageRequest, c *pb.SendMessageConfiguration) *pb.SendMessageRequest {
	req.Configuration = c
	return req
}

// naming is a call that names extensions.
func naming(uris string) *binding.Call {
	return &binding.Call{Params: binding.Params{binding.ParamExtensions: uris}}
}

// conversed holds a conversation of our client by a card. The public one is
// what the agent shows.
func conversed(t *testing.T, patience time.Duration, card, public *pb.AgentCard, m mode) []Outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	client, err := registry().Dial(ctx, card)
	require.NoError(t, err)
	defer func() { require.NoError(t, client.Close()) }()
	k := &talk{t: t, ctx: ctx, client: client, public: public}
	m.hold(k)
	return k.outcomes
}
