package equivalence

import (
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

// errInterrupted is how an agent's stream is interrupted on every wire alike.
var errInterrupted = binding.Errorf(binding.Unavailable, "the agent is restarting")

// resuming is the talk with a client that resumes its streams.
func (c *talk) resuming(attempts int) *talk {
	d := *c
	r := binding.Resume(binding.Remote(c.conn), &binding.ResumeOptions{Attempts: attempts, MinWait: time.Millisecond, MaxWait: time.Millisecond})
	d.conn = r.Conn()
	return &d
}

// course is what one visit of an agent's streams comes to: events, then an
// error or the end.
type course struct {
	events []*pb.StreamResponse
	err    error
}

func cut(evs ...*pb.StreamResponse) course   { return course{evs, errInterrupted} }
func whole(evs ...*pb.StreamResponse) course { return course{evs, nil} }
func denied(err error) course                { return course{nil, err} }

// takes is an agent whose calls take their courses one after another; the last
// is taken again and again.
func takes(p *play, courses ...course) {
	p.stream = func(v *visit, emit func(*pb.StreamResponse) bool) error {
		c := courses[min(len(v.visited()), len(courses))-1]
		return emits(c.err, c.events...)(v, emit)
	}
}

// halfDone is a task as it is after its first chunk.
func halfDone(s pb.TaskState) *pb.Task {
	t := taskIn("t", s)
	t.Artifacts = []*pb.Artifact{{ArtifactId: "a", Parts: []*pb.Part{textPart("chunk 0")}}}
	return t
}

const (
	taskWorking   = pb.TaskState_TASK_STATE_WORKING
	taskCompleted = pb.TaskState_TASK_STATE_COMPLETED
)

func resumeScenarios() []Scenario {
	begin := []*pb.StreamResponse{taskEvent("t"), chunk("t", 0, "chunk 0")}
	snapshot := event(halfDone(taskWorking))
	rest := whole(snapshot, chunk("t", 1, "chunk 1"), completed("t"))
	ended := event(halfDone(taskCompleted))
	refused := denied(binding.Errorf(binding.UnsupportedOperation, "the task has ended"))
	send, sub, get := binding.OpSendStreamingMessage, binding.OpSubscribeToTask, binding.OpGetTask
	var out []Scenario
	for _, r := range []struct {
		name, section, rule string
		op                  *binding.Op
		courses             []course
		task                *pb.Task // that GetTask finds
		seen                []*pb.StreamResponse
		code                binding.Code
		asked               []*binding.Op
	}{
		{"interrupted", "3.5.2", "a stream that is interrupted goes on from the task as it is, and nothing is sent twice", send,
			[]course{cut(begin...), rest}, nil, append(begin[:2:2], rest.events...), "", []*binding.Op{send, sub}},
		{"interrupted-subscription", "3.5.2", "so does a subscription", sub,
			[]course{cut(begin...), rest}, nil, append(begin[:2:2], rest.events...), "", []*binding.Op{sub, sub}},
		{"interrupted-twice", "3.5.2", "and again", send,
			[]course{cut(begin...), cut(snapshot), cut(snapshot, chunk("t", 1, "x")), rest}, nil,
			append([]*pb.StreamResponse{begin[0], begin[1], snapshot, snapshot, chunk("t", 1, "x")}, rest.events...), "", []*binding.Op{send, sub, sub, sub}},
		{"unavailable-meanwhile", "12.5", "a subscription that is Unavailable is tried again", send,
			[]course{cut(begin...), cut(), cut(), rest}, nil, append(begin[:2:2], rest.events...), "", []*binding.Op{send, sub, sub, sub}},
		{"unavailable-for-good", "12.5", "but not for ever", send,
			[]course{cut(begin...), cut()}, nil, begin, binding.Unavailable, []*binding.Op{send, sub, sub, sub}},
		{"ended-meanwhile", "3.1.6", "a task that ended meanwhile is the last event, and the end is clean", send,
			[]course{cut(begin...), refused}, halfDone(taskCompleted), append(begin[:2:2], ended), "", []*binding.Op{send, sub, get}},
		{"no-subscriptions", "3.1.6", "a task that goes on and cannot be subscribed to is not taken for one that has ended", send,
			[]course{cut(begin...), refused}, halfDone(taskWorking), begin, binding.UnsupportedOperation, []*binding.Op{send, sub, get}},
		{"input-required-meanwhile", "11.7", "a stream of a message ends where the task asks for input", send,
			[]course{cut(begin...), whole(event(halfDone(pb.TaskState_TASK_STATE_INPUT_REQUIRED)), chunk("t", 1, "never read"))}, nil,
			append(begin[:2:2], event(halfDone(pb.TaskState_TASK_STATE_INPUT_REQUIRED))), "", []*binding.Op{send, sub}},
		{"task-not-found", "3.1.6", "a task that is gone is an error", send,
			[]course{cut(begin...), denied(binding.ErrTaskNotFound)}, nil, begin, binding.TaskNotFound, []*binding.Op{send, sub}},
		{"before-the-first-event", "3.3.1", "a message is sent once: a stream that has not begun is not resumed", send,
			[]course{cut(), rest}, nil, nil, binding.Unavailable, []*binding.Op{send}},
		{"after-a-message", "3.1.2", "a stream without a task has nothing to resume", send,
			[]course{cut(event(text("r", "hello"))), rest}, nil, []*pb.StreamResponse{event(text("r", "hello"))}, binding.Unavailable, []*binding.Op{send}},
		{"other-error", "3.3.2", "an error that is no interruption stands", send,
			[]course{{begin, binding.ErrInternal}, rest}, nil, begin, binding.Internal, []*binding.Op{send}},
		{"clean-end", "3.5.2", "a stream that the agent ends has ended, whatever its task does", send,
			[]course{whole(begin...), rest}, nil, begin, "", []*binding.Op{send}},
	} {
		out = append(out, Scenario{
			Name: "resume/" + r.name, Section: r.section, Rule: r.rule,
			play: func(p *play) {
				takes(p, r.courses...)
				p.answer = answers(r.task)
				p.client = func(c *talk) {
					evs, e := c.resuming(3).all(r.op, request(r.op))
					c.code(e, r.code)
					c.equal("number of events", len(evs), len(r.seen))
					for i := range min(len(evs), len(r.seen)) {
						c.equal("event", evs[i], r.seen[i])
					}
					c.askedFor(r.asked...)
				}
			},
		})
	}
	return append(out,
		Scenario{
			Name: "resume/not-told-to", Section: "3.5.2", Rule: "a client that is not told to resumes nothing",
			play: func(p *play) {
				takes(p, cut(begin...), rest)
				p.client = func(c *talk) {
					evs, e := c.all(send, request(send))
					c.said(e, errInterrupted)
					c.equal("number of events", len(evs), 2)
					c.askedFor(send)
				}
			},
		},
		Scenario{
			Name: "resume/other-operations", Section: "3.3.1", Rule: "what is not a stream is not repeated",
			play: func(p *play) {
				p.answer = fails(errInterrupted)
				p.client = func(c *talk) {
					for _, op := range []*binding.Op{binding.OpSendMessage, get} {
						c.said(c.resuming(3).do(op, nil, request(op)), errInterrupted)
					}
					c.askedFor(binding.OpSendMessage, get)
				}
			},
		},
		Scenario{
			Name: "resume/tenant-and-parameters", Section: "3.2.6", Rule: "what resumes a stream is called as the stream was",
			play: resumedCalls,
		},
		Scenario{
			Name: "resume/leave", Section: "3.5.2", Rule: "leaving a resumed stream ends the agent's context",
			play: func(p *play) {
				p.stream = func(v *visit, emit func(*pb.StreamResponse) bool) error {
					if v.op == send {
						return emits(errInterrupted, begin...)(v, emit)
					}
					emit(snapshot)
					return v.untilEnded()
				}
				p.client = func(c *talk) {
					n, e := c.resuming(3).stream(send, nil, request(send), func(i int, _ *pb.StreamResponse) bool { return i < 2 })
					c.code(e, "")
					c.equal("number of events", n, 3)
					c.await(agentEnded)
					c.askedFor(send, sub)
				}
			},
		},
	)
}

// resumedCalls has a stream whose subscription is refused once the task has
// ended, so that all calls that can be made are.
func resumedCalls(p *play) {
	p.stream = func(v *visit, emit func(*pb.StreamResponse) bool) error {
		v.call.SetReply("eq-reply", v.op.Name)
		if v.op == binding.OpSubscribeToTask {
			return binding.ErrUnsupportedOperation
		}
		return emits(errInterrupted, taskEvent("t"))(v, emit)
	}
	p.answer = func(v *visit) (proto.Message, error) {
		v.call.SetReply("eq-reply", v.op.Name)
		return taskIn("t", taskCompleted), nil
	}
	p.client = func(c *talk) {
		req := send("m", "hello")
		req.Tenant = "acme/Ü"
		params := binding.Params{"eq-trace": "AbC", binding.ParamExtensions: "https://ext.example/a"}
		call := &binding.Call{Params: params.Clone(), Credential: "Bearer abc"}
		n, e := c.resuming(3).stream(binding.OpSendStreamingMessage, call, req, nil)
		c.code(e, "")
		c.equal("number of events", n, 2)
		c.equal("service parameter of the answer", call.Reply.Get("eq-reply"), binding.OpSendStreamingMessage.Name)
		credential := "Bearer abc"
		if c.relayed {
			credential = ""
		}
		for _, v := range c.visited() {
			for k, want := range params {
				c.equal("service parameter "+k+" with "+v.op.Name, v.call.Param(k), want)
			}
			c.equal("credential with "+v.op.Name, v.call.Credential.Reveal(), credential)
			c.equal("tenant with "+v.op.Name, v.saw.(interface{ GetTenant() string }).GetTenant(), req.Tenant)
		}
		c.askedFor(binding.OpSendStreamingMessage, binding.OpSubscribeToTask, binding.OpGetTask)
	}
}

// askedFor asserts which calls reached the agent, in order.
func (c *talk) askedFor(ops ...*binding.Op) {
	var want, got []string
	for _, op := range ops {
		want = append(want, op.Name)
	}
	for _, v := range c.visited() {
		got = append(got, v.op.Name)
	}
	c.equal("calls that reached the agent", got, want)
}
