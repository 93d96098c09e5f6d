package golden

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

// Maker wires an agent up inside a synctest bubble. end takes all down and says
// what the client sent and got.
type Maker func(t *testing.T, agent binding.Agent) (client binding.Client, end func() (sent, got string))

// Run plays the same calls over a wire as over all others, each over a wire of
// its own, and compares what crosses with testdata/operations.txtar,
// errors.txtar and streams.txtar. The title stands at their heads.
func Run(t *testing.T, title string, mk Maker) {
	for _, f := range []struct {
		name, comment string
		cases         []*call
	}{
		{"operations", "every operation", operations()},
		{"errors", "every error", failures()},
		{"streams", "every kind of stream", streams()},
	} {
		t.Run(f.name, func(t *testing.T) {
			wire := new(Wire)
			for _, c := range f.cases {
				synctest.Test(t, func(t *testing.T) {
					client, end := mk(t, c.agent())
					c.talk(t, client.Conn())
					sent, got := end()
					wire.Add(c.name+" >", sent)
					wire.Add(c.name+" <", got)
				})
			}
			wire.Compare(t, f.name, title+": "+f.comment+". > is what the client sends, < what the server answers.")
		})
	}
}

// call is one call and how the agent answers it.
type call struct {
	name string
	op   *binding.Op
	req  proto.Message
	// beside is what the client sends beside the request.
	beside binding.Call

	reply  binding.Params // what the agent says beside its answer
	answer proto.Message
	events []*pb.StreamResponse
	// silence is how long the agent says nothing before the last event.
	silence time.Duration
	err     error
	// leave is after how many events the client leaves; the agent then waits
	// for that. 0 is never.
	leave int
	// instead is what the client gets of a server that refuses the call, or its answer.
	instead error

	saw proto.Message
}

// agent is the call's agent: a Conn, made an Agent that a server calls by its methods.
func (c *call) agent() binding.Agent { return struct{ binding.Agent }{binding.Remote(c)} }

func (c *call) asked(beside *binding.Call, p binding.Payload) {
	c.saw, _ = p.Message()
	for k, v := range c.reply {
		beside.SetReply(k, v)
	}
}

func (c *call) Invoke(_ context.Context, _ *binding.Op, beside *binding.Call, p binding.Payload) (binding.Payload, error) {
	c.asked(beside, p)
	if c.err != nil {
		return binding.Payload{}, c.err
	}
	return binding.MessagePayload(c.answer), nil
}

func (c *call) Stream(ctx context.Context, _ *binding.Op, beside *binding.Call, p binding.Payload) iter.Seq2[binding.Payload, error] {
	return func(yield func(binding.Payload, error) bool) {
		c.asked(beside, p)
		for i, ev := range c.events {
			if i == len(c.events)-1 {
				time.Sleep(c.silence)
			}
			if !yield(binding.MessagePayload(ev), nil) {
				return
			}
		}
		if c.leave > 0 {
			<-ctx.Done()
			return
		}
		if c.err != nil {
			yield(binding.Payload{}, c.err)
		}
	}
}

func (c *call) Close() error { return nil }

// talk makes the call, and holds what the client got against what the agent said.
func (c *call) talk(t *testing.T, conn binding.Conn) {
	var got []proto.Message
	beside := c.beside
	take := func(p binding.Payload, err error) error {
		if err == nil {
			m, merr := p.Message()
			assert.NoError(t, merr, c.name)
			got = append(got, m)
		}
		return err
	}
	var err error
	if c.op.Streaming {
		for p, e := range conn.Stream(t.Context(), c.op, &beside, binding.MessagePayload(c.req)) {
			if err = take(p, e); len(got) == c.leave && c.leave > 0 {
				break
			}
		}
	} else {
		err = take(conn.Invoke(t.Context(), c.op, &beside, binding.MessagePayload(c.req)))
	}
	if c.instead != nil {
		assert.ErrorIs(t, err, c.instead, c.name)
		return
	}
	assert.True(t, proto.Equal(c.req, c.saw), "%s: asked %v, the agent saw %v", c.name, c.req, c.saw)
	for k, v := range c.reply {
		assert.Equal(t, v, beside.Reply.Get(k), c.name)
	}
	c.failed(t, err)
	want := c.said()
	assert.Len(t, got, len(want), c.name)
	for i := range min(len(got), len(want)) {
		assert.True(t, proto.Equal(want[i], got[i]), "%s: %d: %v", c.name, i, got[i])
	}
}

// said is what the agent says in answer.
func (c *call) said() (all []proto.Message) {
	for _, ev := range c.events {
		all = append(all, ev)
	}
	if c.answer != nil {
		all = append(all, c.answer)
	}
	return all
}

// failed asserts that the client got the agent's error, details and all.
func (c *call) failed(t *testing.T, err error) {
	if c.err == nil {
		assert.NoError(t, err, c.name)
		return
	}
	want, got := binding.Flatten(c.err), binding.Flatten(err)
	if !assert.NotNil(t, got, c.name) {
		return
	}
	assert.Equal(t, []any{want.Code, want.Text(), true}, []any{got.Code, got.Text(), got.Remote}, c.name)
	assert.Len(t, got.Details, len(want.Details), c.name)
	for i := range min(len(got.Details), len(want.Details)) {
		assert.True(t, proto.Equal(want.Details[i], got.Details[i]), "%s: detail %d: %v", c.name, i, got.Details[i])
	}
}
