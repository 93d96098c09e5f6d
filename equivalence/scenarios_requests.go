package equivalence

import (
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/a2awire/a2awire/binding"
)

// requiredScenarios are requests that lack something or break a bound: they
// are invalid params, the field is named, and the agent is never asked.
func requiredScenarios() []Scenario {
	edit := func(f func(*pb.SendMessageRequest)) proto.Message { r := send("m", "x"); f(r); return r }
	var out []Scenario
	for _, r := range []struct {
		name, section, field string
		op                   *binding.Op
		req                  proto.Message
	}{
		{"message", "3.2.1", "message", binding.OpSendMessage, &pb.SendMessageRequest{}},
		{"message-in-stream", "3.2.1", "message", binding.OpSendStreamingMessage, &pb.SendMessageRequest{}},
		{"parts", "4.1.4", "message.parts", binding.OpSendMessage, edit(func(r *pb.SendMessageRequest) { r.Message.Parts = nil })},
		{"role", "4.1.4", "message.role", binding.OpSendMessage, edit(func(r *pb.SendMessageRequest) { r.Message.Role = 0 })},
		{"messageId", "4.1.4", "message.messageId", binding.OpSendStreamingMessage, edit(func(r *pb.SendMessageRequest) { r.Message.MessageId = "" })},
		{"inline-url", "4.3.1", "configuration.taskPushNotificationConfig.url", binding.OpSendMessage, edit(func(r *pb.SendMessageRequest) {
			r.Configuration = &pb.SendMessageConfiguration{TaskPushNotificationConfig: &pb.TaskPushNotificationConfig{Id: "p"}}
		})},
		{"scheme", "4.3.2", "authentication.scheme", binding.OpCreateTaskPushNotificationConfig,
			&pb.TaskPushNotificationConfig{TaskId: "t", Url: "u", Authentication: &pb.AuthenticationInfo{Credentials: "c"}}},
		{"GetTask-id", "3.1.3", "id", binding.OpGetTask, &pb.GetTaskRequest{}},
		{"CancelTask-id", "3.1.5", "id", binding.OpCancelTask, &pb.CancelTaskRequest{}},
		{"SubscribeToTask-id", "3.1.6", "id", binding.OpSubscribeToTask, &pb.SubscribeToTaskRequest{}},
		{"create-taskId", "3.1.7", "taskId", binding.OpCreateTaskPushNotificationConfig, &pb.TaskPushNotificationConfig{Url: "u"}},
		{"create-url", "3.1.7", "url", binding.OpCreateTaskPushNotificationConfig, &pb.TaskPushNotificationConfig{TaskId: "t"}},
		{"get-config-id", "3.1.8", "id", binding.OpGetTaskPushNotificationConfig, &pb.GetTaskPushNotificationConfigRequest{TaskId: "t"}},
		{"get-config-taskId", "3.1.8", "taskId", binding.OpGetTaskPushNotificationConfig, &pb.GetTaskPushNotificationConfigRequest{Id: "p"}},
		{"list-configs-taskId", "3.1.9", "taskId", binding.OpListTaskPushNotificationConfigs, &pb.ListTaskPushNotificationConfigsRequest{}},
		{"delete-config-id", "3.1.10", "id", binding.OpDeleteTaskPushNotificationConfig, &pb.DeleteTaskPushNotificationConfigRequest{TaskId: "t"}},
		{"delete-config-taskId", "3.1.10", "taskId", binding.OpDeleteTaskPushNotificationConfig, &pb.DeleteTaskPushNotificationConfigRequest{Id: "p"}},
		{"SendMessage-historyLength", "3.2.4", "configuration.historyLength", binding.OpSendMessage, edit(func(r *pb.SendMessageRequest) {
			r.Configuration = &pb.SendMessageConfiguration{HistoryLength: proto.Int32(-1)}
		})},
		{"GetTask-historyLength", "3.2.4", "historyLength", binding.OpGetTask, &pb.GetTaskRequest{Id: "t", HistoryLength: proto.Int32(-1)}},
		{"ListTasks-historyLength", "3.2.4", "historyLength", binding.OpListTasks, &pb.ListTasksRequest{HistoryLength: proto.Int32(-1)}},
		{"pageSize-zero", "3.1.4", "pageSize", binding.OpListTasks, &pb.ListTasksRequest{PageSize: proto.Int32(0)}},
		{"pageSize-101", "3.1.4", "pageSize", binding.OpListTasks, &pb.ListTasksRequest{PageSize: proto.Int32(101)}},
		{"pageSize-negative", "3.1.4", "pageSize", binding.OpListTasks, &pb.ListTasksRequest{PageSize: proto.Int32(-5)}},
		{"config-pageSize-negative", "3.1.9", "pageSize", binding.OpListTaskPushNotificationConfigs,
			&pb.ListTaskPushNotificationConfigsRequest{TaskId: "t", PageSize: -1}},
	} {
		out = append(out, Scenario{
			Name: "required/" + r.name, Section: r.section, Rule: "a bad request is invalid params, names the field, and does not reach the agent",
			verdict: true,
			play: func(p *play) {
				agrees(p)
				p.client = func(c *talk) {
					c.refused(c.do(r.op, nil, r.req), binding.InvalidParams, r.field)
					c.asked(0)
					c.code(c.do(binding.OpGetExtendedAgentCard, nil, request(binding.OpGetExtendedAgentCard)), "")
				}
			},
		})
	}
	return out
}

func tenantScenarios() []Scenario {
	var out []Scenario
	for _, t := range []struct{ name, tenant string }{
		{"plain", "acme"}, {"empty", ""}, {"slash", "a/b"}, {"escaped", "a%2Fb?c#d"}, {"route", "tasks"}, {"verb", "message:send"}, {"unicode", "ünï ✓"}, {"dots", ".."},
	} {
		out = append(out, Scenario{
			Name: "tenant/" + t.name, Section: "8.3.2", Rule: "the tenant arrives on every operation",
			play: func(p *play) {
				agrees(p)
				p.client = func(c *talk) {
					for _, op := range binding.Ops() {
						req := request(op)
						m := req.ProtoReflect()
						if fd := m.Descriptor().Fields().ByName("tenant"); t.tenant != "" {
							m.Set(fd, protoreflect.ValueOfString(t.tenant))
						}
						c.code(c.do(op, nil, req), "")
						c.equal("request that the agent saw", c.last(), req)
					}
				}
			},
		})
	}
	return out
}

func versionScenarios() []Scenario {
	var out []Scenario
	for _, v := range []struct {
		name, version string
		speaks        bool
	}{
		{"1.0", "1.0", true}, {"1.0.1", "1.0.1", true},
		{"0.3", "0.3", false}, {"2.0", "2.0", false}, {"1.1", "1.1", false}, {"empty", "", false}, {"1", "1", false}, {"word", "latest", false},
	} {
		out = append(out, Scenario{
			Name: "version/" + v.name, Section: "3.6.2", Rule: "a version that the agent does not speak is VersionNotSupportedError, before all else",
			play: func(p *play) {
				agrees(p)
				p.client = func(c *talk) {
					call := func() *binding.Call { return &binding.Call{Params: binding.Params{binding.ParamVersion: v.version}} }
					for _, op := range classes {
						e := c.do(op, call(), request(op))
						if v.speaks {
							c.code(e, "")
							continue
						}
						c.code(e, binding.VersionNotSupported)
						c.equal("versions that the error names", e.Info().GetMetadata()["supportedVersions"], binding.Version)
					}
					if !v.speaks {
						c.code(c.do(binding.OpSendMessage, call(), &pb.SendMessageRequest{}), binding.VersionNotSupported)
						c.asked(0)
					}
				}
			},
		})
	}
	return out
}

// capabilityScenarios have cards that declare less than everything.
func capabilityScenarios() []Scenario {
	const need, other = "https://ext.example/need/v1", "https://ext.example/other/v1"
	push := []*binding.Op{
		binding.OpCreateTaskPushNotificationConfig, binding.OpGetTaskPushNotificationConfig,
		binding.OpListTaskPushNotificationConfigs, binding.OpDeleteTaskPushNotificationConfig,
	}
	streams := []*binding.Op{binding.OpSendStreamingMessage, binding.OpSubscribeToTask}
	extended := []*binding.Op{binding.OpGetExtendedAgentCard}
	inline := send("m", "x")
	inline.Configuration = &pb.SendMessageConfiguration{TaskPushNotificationConfig: &pb.TaskPushNotificationConfig{Url: "https://hook.example"}}
	required := func(card *pb.AgentCard) {
		card.Capabilities.Extensions = []*pb.AgentExtension{{Uri: other}, {Uri: need, Required: true}}
	}
	var out []Scenario
	for _, s := range []struct {
		name string
		card func(*pb.AgentCard)
		ops  []*binding.Op
		req  proto.Message
		call binding.Params
		code binding.Code
	}{
		{"no-streaming", func(c *pb.AgentCard) { c.Capabilities.Streaming = proto.Bool(false) }, streams, nil, nil, binding.UnsupportedOperation},
		{"streaming-unset", func(c *pb.AgentCard) { c.Capabilities.Streaming = nil }, streams, nil, nil, binding.UnsupportedOperation},
		{"no-push", func(c *pb.AgentCard) { c.Capabilities.PushNotifications = nil }, push, nil, nil, binding.PushNotificationNotSupported},
		{"no-push-inline", func(c *pb.AgentCard) { c.Capabilities.PushNotifications = nil },
			[]*binding.Op{binding.OpSendMessage, binding.OpSendStreamingMessage}, inline, nil, binding.PushNotificationNotSupported},
		{"no-extended-card", func(c *pb.AgentCard) { c.Capabilities.ExtendedAgentCard = nil }, extended, nil, nil, binding.UnsupportedOperation},
		{"extension-missing", required, classes, nil, nil, binding.ExtensionSupportRequired},
		{"extension-other", required, classes, nil, binding.Params{binding.ParamExtensions: other + "," + need + "2"}, binding.ExtensionSupportRequired},
		{"extension-case", required, classes, nil, binding.Params{binding.ParamExtensions: strings.ToUpper(need)}, binding.ExtensionSupportRequired},
		{"extension-named", required, classes, nil, binding.Params{binding.ParamExtensions: other + ", " + need}, ""},
	} {
		out = append(out, Scenario{
			Name: "capabilities/" + s.name, Section: "3.3.4", Rule: "what the card does not declare is refused, and does not reach the agent",
			card: s.card,
			play: func(p *play) {
				agrees(p)
				p.client = func(c *talk) {
					for _, op := range s.ops {
						req := s.req
						if req == nil {
							req = request(op)
						}
						e := c.do(op, &binding.Call{Params: s.call.Clone()}, req)
						c.code(e, s.code)
						if s.code == binding.ExtensionSupportRequired && e != nil {
							c.equal("extension that the error names", e.Info().GetMetadata()["extension"], need)
						}
					}
					if s.code != "" {
						c.asked(0)
					}
					c.code(c.do(binding.OpGetTask, &binding.Call{Params: binding.Params{binding.ParamExtensions: need}}, request(binding.OpGetTask)), "")
				}
			},
		})
	}
	return out
}
