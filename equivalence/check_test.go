package equivalence

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/a2awire/a2awire/binding"
)

func TestScenarios(t *testing.T) {
	all := Scenarios()
	assert.GreaterOrEqual(t, len(all), 60)
	seen := map[string]bool{}
	for _, s := range all {
		assert.False(t, seen[s.Name], "%s is there twice", s.Name)
		seen[s.Name] = true
		group, name, ok := strings.Cut(s.Name, "/")
		assert.True(t, ok && group != "" && name != "" && !strings.ContainsAny(name, "/ "), s.Name)
		assert.Equal(t, group, s.Group())
		assert.Regexp(t, `^\d+(\.\d+)+$`, s.Section, s.Name)
		assert.NotEmpty(t, s.Rule, s.Name)
	}
	n := 0
	for _, g := range groups() {
		n += len(g.scenarios)
	}
	assert.Equal(t, len(all), n, "every scenario is in one group")
}

// An assertion of a scenario that the reference fails is a difference: a fault
// that all bindings share is not equivalence.
func TestReferenceIsHeldToItsAssertions(t *testing.T) {
	s := Scenario{Name: "made/up", Section: "3.1.3", play: func(p *play) {
		p.answer = answers(task("t"))
		p.client = func(c *talk) {
			got, _ := c.invoke(binding.OpGetTask, nil, request(binding.OpGetTask))
			c.equal("task", got, task("other"))
		}
	}}
	diffs := Check(t.Context(), s, reference)
	require.Len(t, diffs, 2)
	assert.True(t, diffs[0].Reference)
	assert.False(t, diffs[1].Reference)
	assert.Equal(t, SideAssertion, diffs[0].Side)
	assert.Contains(t, diffs[0].String(), "the in-process reference: made/up (spec 3.1.3): specification: task, step \"calling GetTask\"")
}

func TestReferenceRunsOnce(t *testing.T) {
	runs := 0
	s := Scenario{Name: "made/up", Section: "3.1.3", play: func(p *play) {
		runs++
		p.client = func(*talk) {}
	}}
	su := newSuite(nil)
	for range 3 {
		assert.Empty(t, su.check(t.Context(), s, reference))
	}
	assert.Equal(t, 4, runs)
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		want, got  []string
		differ     bool
		what, w, g string
	}{
		{nil, nil, false, "", "", ""},
		{[]string{"a", "b"}, []string{"a", "b"}, false, "", "", ""},
		{[]string{"a", "b"}, []string{"a", "c"}, true, "line 2 of 2 in the log", "b", "c"},
		{[]string{"a"}, []string{"a", "b"}, true, "line 2 of 1 in the log", "the end of the log", "b"},
		{[]string{"a", "b"}, []string{"a"}, true, "line 2 of 2 in the log", "b", "the end of the log"},
	} {
		d, differ := compare(c.want, c.got)
		assert.Equal(t, c.differ, differ)
		assert.Equal(t, Difference{What: c.what, Want: c.w, Got: c.g}, d)
	}
}

func TestJournalSortsByCallAndKeepsEachInOrder(t *testing.T) {
	var j journal
	j.add("b", "1")
	j.add("a", "2")
	j.add("b", "0")
	assert.Equal(t, []string{"b: 1", "a: 2", "b: 0"}, j.canonical(false))
	assert.Equal(t, []string{"a: 2", "b: 1", "b: 0"}, j.canonical(true))
}

// verdicts records what a test is told.
type verdicts struct {
	testing.TB
	errors, logs []string
}

func (v *verdicts) Helper()  {}
func (v *verdicts) FailNow() { runtime.Goexit() }
func (v *verdicts) Errorf(format string, args ...any) {
	v.errors = append(v.errors, fmt.Sprintf(format, args...))
}
func (v *verdicts) Logf(format string, args ...any) {
	v.logs = append(v.logs, fmt.Sprintf(format, args...))
}

func TestJudge(t *testing.T) {
	diff := []Difference{{Scenario: "a/b", Section: "1.1", Side: SideAgent, What: "w", Want: "x", Got: "y"}}
	t.Run("a difference fails", func(t *testing.T) {
		v := new(verdicts)
		judge(v, "", diff)
		assert.Equal(t, []string{"a/b (spec 1.1): agent: w\n\twant x\n\tgot  y"}, v.errors)
	})
	t.Run("none passes", func(t *testing.T) {
		v := new(verdicts)
		judge(v, "", nil)
		assert.Empty(t, v.errors)
	})
	t.Run("an exemption shows its reason", func(t *testing.T) {
		v := new(verdicts)
		judge(v, "the wire has no headers", diff)
		assert.Empty(t, v.errors)
		assert.Equal(t, "exempted: the wire has no headers", v.logs[0])
		assert.Len(t, v.logs, 2)
	})
	t.Run("an exemption that passes fails", func(t *testing.T) {
		v := new(verdicts)
		judge(v, "the wire has no headers", nil)
		require.Len(t, v.errors, 1)
		assert.Contains(t, v.errors[0], "the wire has no headers")
	})
}

func TestExemptionsAreByScenarioOrByPair(t *testing.T) {
	su := newSuite([]*Options{nil, {Exempt: map[string]string{
		"streams/nothing": "all", "a-to-b/streams/cancel": "one pair", "streams/no-such": "?", "a-to-c/streams/cancel": "no such pair",
	}}})
	assert.Equal(t, "all", su.reason("", "streams/nothing"))
	assert.Equal(t, "all", su.reason("a-to-b", "streams/nothing"))
	assert.Equal(t, "one pair", su.reason("a-to-b", "streams/cancel"))
	assert.Empty(t, su.reason("b-to-a", "streams/cancel"))
	assert.Empty(t, su.reason("", "streams/cancel"))
	v := new(verdicts)
	su.exemptionsExist(v, "a-to-b", "b-to-a")
	assert.Equal(t, []string{"exempted, and no scenario: a-to-c/streams/cancel", "exempted, and no scenario: streams/no-such"}, v.errors)
}

// A binding that fails a scenario for a known reason passes with the exemption.
func TestRunWithExemption(t *testing.T) {
	mk := func(tb testing.TB, agent binding.Agent) binding.Agent {
		c, down, err := reference(agent)
		require.NoError(tb, err)
		tb.Cleanup(down)
		return deaf{c.(binding.Client)}
	}
	Run(t, mk, &Options{
		Only: func(s Scenario) bool {
			return strings.HasPrefix(s.Name, "presence/ListTasks") || s.Name == "tenant/plain"
		},
		Exempt: map[string]string{"presence/ListTasks-pageSize": "the wire has no pages"},
	})
}

type deaf struct{ binding.Client }

func (d deaf) ListTasks(ctx context.Context, call *binding.Call, req *pb.ListTasksRequest) (*pb.ListTasksResponse, error) {
	if req.PageSize != nil {
		req = proto.Clone(req).(*pb.ListTasksRequest)
		req.PageSize = nil
	}
	return d.Client.ListTasks(ctx, call, req)
}

func TestScopeEndsBeforeItsTest(t *testing.T) {
	var order []string
	var ctx context.Context
	w := wireOf(t, func(tb testing.TB, agent binding.Agent) binding.Agent {
		ctx = tb.Context()
		tb.Cleanup(func() { order = append(order, "first") })
		tb.Cleanup(func() {
			assert.Error(t, ctx.Err(), "the context ends before the cleanups")
			order = append(order, "second")
		})
		return agent
	})
	_, down, err := w(binding.Unimplemented{})
	require.NoError(t, err)
	require.NoError(t, ctx.Err())
	down()
	assert.Equal(t, []string{"second", "first"}, order)
	down()
	assert.Len(t, order, 2)
}

// A maker that stops its test is torn down and reported; nothing hangs.
func TestMakerThatFails(t *testing.T) {
	for name, stop := range map[string]func(testing.TB){
		"FailNow": func(tb testing.TB) { require.NoError(tb, errors.New("no port is free")) },
		"panic":   func(testing.TB) { panic("no port is free") },
	} {
		t.Run(name, func(t *testing.T) {
			cleaned := false
			diffs := Check(t.Context(), Scenarios()[0], wireOf(new(verdicts), func(tb testing.TB, _ binding.Agent) binding.Agent {
				tb.Cleanup(func() { cleaned = true })
				stop(tb)
				return nil
			}))
			require.NotEmpty(t, diffs)
			assert.Equal(t, SideWire, diffs[0].Side)
			assert.True(t, cleaned)
		})
	}
}

func TestCardOf(t *testing.T) {
	st := newStage(t.Context(), Scenario{card: func(c *pb.AgentCard) { c.Name = "changed" }}, false)
	agent := newAgent(st, new(play))
	assert.Equal(t, "changed", CardOf(agent)().GetName())
	assert.Equal(t, "changed", OptionsFor(agent).Card().GetName())
	assert.Equal(t, "changed", CardOf(binding.Remote(&middleConn{binding.Local(agent), st.card}))().GetName())
	assert.Nil(t, CardOf(binding.Unimplemented{}))
	assert.Nil(t, CardOf(nil))
	assert.Equal(t, MaxMessageBytes, OptionsFor(nil).MaxMessageBytes)
}

// Filled messages show every field of the data model.
func TestFilledSetsEveryField(t *testing.T) {
	seen := map[protoreflect.FullName]bool{}
	for _, op := range binding.Ops() {
		visitFields(filled(op.NewRequest()).ProtoReflect(), seen)
		if !op.Streaming {
			visitFields(filled(op.NewResponse()).ProtoReflect(), seen)
		}
	}
	for _, ev := range filledEvents() {
		visitFields(ev.ProtoReflect(), seen)
	}
	visitFields(filled(new(pb.Message)).ProtoReflect(), seen)
	visitFields(schemes().ProtoReflect(), seen)
	var missing []string
	for _, m := range messagesOf(new(pb.Task).ProtoReflect().Descriptor().ParentFile().Messages()) {
		for i := range m.Fields().Len() {
			if f := m.Fields().Get(i).FullName(); !seen[f] {
				missing = append(missing, string(f))
			}
		}
	}
	// Shown by streams/message-only and operations/message-answer.
	assert.Equal(t, []string{"lf.a2a.v1.SendMessageResponse.message", "lf.a2a.v1.StreamResponse.message"}, missing)
}

func messagesOf(ms protoreflect.MessageDescriptors) []protoreflect.MessageDescriptor {
	var out []protoreflect.MessageDescriptor
	for i := range ms.Len() {
		if m := ms.Get(i); !m.IsMapEntry() {
			out = append(append(out, m), messagesOf(m.Messages())...)
		}
	}
	return out
}

func visitFields(m protoreflect.Message, seen map[protoreflect.FullName]bool) {
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		seen[fd.FullName()] = true
		switch {
		case fd.IsMap():
			v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
				if fd.MapValue().Message() != nil {
					visitFields(v.Message(), seen)
				}
				return true
			})
		case fd.IsList() && fd.Message() != nil:
			for i := range v.List().Len() {
				visitFields(v.List().Get(i).Message(), seen)
			}
		case fd.Message() != nil:
			visitFields(v.Message(), seen)
		}
		return true
	})
}

func TestRender(t *testing.T) {
	zero := &pb.GetTaskRequest{Id: "t", HistoryLength: proto.Int32(0)}
	assert.Equal(t, `{"id":"t","historyLength":0}`, renderMessage(zero))
	assert.Equal(t, `{"id":"t"}`, renderMessage(&pb.GetTaskRequest{Id: "t"}))
	assert.Equal(t, "nothing", renderMessage((*pb.Task)(nil)))
	assert.Contains(t, renderMessage(&pb.GetTaskRequest{Id: "\xff"}), "not ProtoJSON")
	long := strings.Repeat("x", 1<<20)
	assert.Less(t, len(clip(long)), 1024)
	assert.NotEqual(t, clip(long), clip(long[1:]+"y"))
	assert.Equal(t, ` a2a-extensions="a,b" eq-x="1"`, renderParams(binding.Params{"a2a-extensions": "a, b", "eq-x": "1", "traceparent": "00"}))
	assert.Equal(t, ` a2a-version="1.0"`, renderParams(binding.Params{"a2a-version": "1.0.1"}))
	own := binding.Errorf(binding.Unavailable, "dial tcp: refused")
	assert.Equal(t, "error UNAVAILABLE remote=false", renderError(own, false))
	assert.Equal(t, `error UNAVAILABLE "dial tcp: refused"`, renderError(own, true))
	assert.Equal(t, binding.Code("NOT_A_BINDING_ERROR"), asError(errors.New("x")).Code)
	assert.Nil(t, asError(nil))
}

func TestTimeouts(t *testing.T) {
	assert.Equal(t, DefaultTimeout, new(Options).timeout(Scenario{}))
	assert.Equal(t, time.Second, (&Options{Timeout: time.Second}).timeout(Scenario{}))
	assert.Equal(t, time.Minute, (&Options{Timeout: time.Second}).timeout(Scenario{Timeout: time.Minute}))
}
