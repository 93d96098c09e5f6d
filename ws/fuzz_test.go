package ws

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
)

// brief answers what a fuzzed call may ask.
type brief struct{ binding.Unimplemented }

func (brief) GetTask(_ context.Context, _ *binding.Call, r *pb.GetTaskRequest) (*pb.Task, error) {
	return &pb.Task{Id: r.GetId(), Status: &pb.TaskStatus{State: pb.TaskState_TASK_STATE_WORKING}}, nil
}

func (b brief) SubscribeToTask(ctx context.Context, call *binding.Call, r *pb.SubscribeToTaskRequest) iter.Seq2[*pb.StreamResponse, error] {
	return func(yield func(*pb.StreamResponse, error) bool) {
		t, _ := b.GetTask(ctx, call, &pb.GetTaskRequest{Id: r.GetId()})
		yield(&pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: t}}, nil)
	}
}

// unwritten makes an outbox keep what it is given, as if it were being written.
func unwritten(o *outbox) {
	o.pool = new(buffers)
	o.busy = true
}

// frames are what an outbox was given.
func frames(o *outbox) []string {
	var out []string
	start := 0
	for _, end := range o.ends {
		out = append(out, string(o.buf[start:end]))
		start = end
	}
	return out
}

// members are the members of a frame that this binding knows.
func members(t *testing.T, frame string) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(frame), &m), "%s", frame)
	return m
}

// Whatever a client sends, a session does not panic, answers what can be
// answered once, with the id as it came or null, and answers with whole frames
// of one kind.
func FuzzRequestFrame(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":"1","method":"GetTask","params":{"id":"t"},"serviceParams":{"a2a-version":"1.0"}}`,
		`{"jsonrpc":"2.0","id":7,"method":"SubscribeToTask","params":{"id":"t"},"serviceParams":{"A2A-Version":"1.0"},"streamWindow":1}`,
		`{"jsonrpc":"2.0","id":7,"cancelStream":true}`, `{"jsonrpc":"2.0","id":7,"streamCredit":128}`,
		`{"jsonrpc":"2.0","id":"a","method":"Authenticate","params":{"scheme":"Bearer","credentials":"x"}}`,
		`{"jsonrpc":"2.0","id":null,"method":"GetTask"}`, `[{"id":1}]`, `{"id":1,"params":{}}`, `{"id":1,"serviceParams":{"x":1}}`, `{`, `7`, "{\"id\":\"\xff\"}",
	} {
		f.Add([]byte(s))
	}
	authenticate := func(context.Context, *http.Request) (*Identity, error) { return nil, nil }
	f.Fuzz(func(t *testing.T, in []byte) {
		h := NewHandler(brief{}, &Options{Authenticate: authenticate})
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		require.NoError(t, err)
		s := newSession(h, r, &Identity{}, nil)
		s.flow = true
		unwritten(&s.out)
		req, unreadable := readRequest(in)
		closes := s.frame(in)
		require.NoError(t, s.calls.Wait(t.Context()))
		s.workers.Close()
		require.Empty(t, s.served, "what has ended is not in flight")
		out := frames(&s.out)
		streaming := false
		for i, frame := range out {
			m := members(t, frame)
			require.Equal(t, `"2.0"`, string(m["jsonrpc"]))
			if id := string(m["id"]); id != "null" {
				require.NoError(t, unreadable)
				require.JSONEq(t, string(req.id), id)
				require.Contains(t, frame, `"id":`+string(req.id), "byte for byte")
			}
			kinds := 0
			for _, kind := range []string{"result", "error", "streamEnd"} {
				if m[kind] != nil {
					kinds++
				}
			}
			require.Equal(t, 1, kinds, "%s", frame)
			if m["streamEnd"] != nil {
				streaming = true
				require.Equal(t, len(out)-1, i, "nothing follows the end of a stream")
			}
		}
		if !streaming {
			require.LessOrEqual(t, len(out), 1, "%s", out)
		}
		if closes == nil && (unreadable != nil || req.method != nil || req.unfinished() && req.cancelStream == nil && req.streamCredit == nil) {
			require.NotEmpty(t, out, "who asks is answered")
		}
	})
}

// Whatever a server sends, a client does not panic, its calls get answers and
// events that the data model allows or an error, and no call gets more than one end.
func FuzzResponseFrame(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":"1","result":{"id":"t","status":{"state":"TASK_STATE_WORKING"}}}`,
		`{"jsonrpc":"2.0","id":2,"result":{"task":{"id":"t","status":{"state":3}}},"serviceParams":{"a":"b"}}`,
		`{"jsonrpc":"2.0","id":"2","streamEnd":true}`, `{"jsonrpc":"2.0","id":"1","streamEnd":true}`,
		`{"jsonrpc":"2.0","id":"2","error":{"code":-32001,"message":"m","data":[{"@type":"a/b"}]}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m"}}`, `{"jsonrpc":"2.0","control":"Hello"}`,
		`{"id":"1","result":null}`, `{"id":"1","result":{},"error":null}`, `[`, `{"id":"2","result":7,"serviceParams":[]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		l := &link{c: &conn{o: (*Options)(nil).resolve()}, flow: true, done: make(chan struct{}), waiting: map[uint64]*waiter{}}
		unwritten(&l.out)
		ops := []*binding.Op{binding.OpGetTask, binding.OpSubscribeToTask}
		calls := make([]*waiter, len(ops))
		for i, op := range ops {
			var err error
			calls[i], err = l.enlist(op, 1)
			require.NoError(t, err)
		}
		r, err := readResponse(in)
		if err != nil {
			return
		}
		for range 3 {
			l.frame(r)
		}
		l.c.closing.Wait()
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		arrived := 0
		for i, w := range calls {
			for {
				a, _, ok, _ := w.queue.Take(gone)
				if !ok {
					break
				}
				arrived++
				switch {
				case a.end:
					require.True(t, a.payload.IsZero() && a.err == nil)
				case a.err != nil:
					require.True(t, a.payload.IsZero())
				default:
					checked(t, ops[i], a.payload)
				}
			}
		}
		require.LessOrEqual(t, arrived, 1, "a window of one holds one")
	})
}

// checked holds a payload to what the shared layer makes of it: a message or an error.
func checked(t *testing.T, op *binding.Op, p binding.Payload) {
	out := binding.Outbound(answering{p}, nil, binding.CarriesJSON, binding.EndsCalls)
	var err error
	var got binding.Payload
	if op.Streaming {
		for got, err = range out.Stream(t.Context(), op, new(binding.Call), op.RequestJSON([]byte(`{"id":"t"}`))) {
			break
		}
	} else {
		got, err = out.Invoke(t.Context(), op, new(binding.Call), op.RequestJSON([]byte(`{"id":"t"}`)))
	}
	if err != nil {
		return
	}
	m, err := got.Message()
	require.NoError(t, err)
	require.IsType(t, op.NewResponse(), m)
}

// answering is a Conn with one answer.
type answering struct{ p binding.Payload }

func (a answering) Invoke(context.Context, *binding.Op, *binding.Call, binding.Payload) (binding.Payload, error) {
	return a.p, nil
}

func (a answering) Stream(context.Context, *binding.Op, *binding.Call, binding.Payload) iter.Seq2[binding.Payload, error] {
	return func(yield func(binding.Payload, error) bool) { yield(a.p, nil) }
}

func (answering) Close() error { return nil }
