package datamodel

import (
	"reflect"
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// row is a line of the table, whatever its type.
type row struct {
	snake                                string
	required, always, oneof, list, isSet bool
}

// rows are the lines of a type that the table has, by ProtoJSON name.
func rows[M any](t *object[M]) map[string]row {
	out := map[string]row{}
	var zero M
	for _, f := range t.fields {
		out[f.name] = row{snake(f.name), f.required, f.always, f.oneof, f.list, f.has(&zero)}
	}
	return out
}

// table is the whole table, by message.
var table = map[protoreflect.Name]map[string]row{
	"SendMessageConfiguration": rows(sendMessageConfigurationType), "Task": rows(taskType), "TaskStatus": rows(taskStatusType),
	"Part": rows(partType), "Message": rows(messageType), "Artifact": rows(artifactType), "TaskStatusUpdateEvent": rows(taskStatusUpdateEventType),
	"TaskArtifactUpdateEvent": rows(taskArtifactUpdateEventType), "AuthenticationInfo": rows(authenticationInfoType), "AgentInterface": rows(agentInterfaceType),
	"AgentCard": rows(agentCardType), "AgentProvider": rows(agentProviderType), "AgentCapabilities": rows(agentCapabilitiesType), "AgentExtension": rows(agentExtensionType),
	"AgentSkill": rows(agentSkillType), "AgentCardSignature": rows(agentCardSignatureType), "TaskPushNotificationConfig": rows(taskPushNotificationConfigType),
	"StringList": rows(stringListType), "SecurityRequirement": rows(securityRequirementType), "SecurityScheme": rows(securitySchemeType),
	"APIKeySecurityScheme": rows(apiKeySecuritySchemeType), "HTTPAuthSecurityScheme": rows(httpAuthSecuritySchemeType), "OAuth2SecurityScheme": rows(oauth2SecuritySchemeType),
	"OpenIdConnectSecurityScheme": rows(openIdConnectSecuritySchemeType), "MutualTlsSecurityScheme": rows(mutualTlsSecuritySchemeType), "OAuthFlows": rows(oauthFlowsType),
	"AuthorizationCodeOAuthFlow": rows(authorizationCodeOAuthFlowType), "ClientCredentialsOAuthFlow": rows(clientCredentialsOAuthFlowType), "ImplicitOAuthFlow": rows(implicitOAuthFlowType),
	"PasswordOAuthFlow": rows(passwordOAuthFlowType), "DeviceCodeOAuthFlow": rows(deviceCodeOAuthFlowType), "SendMessageRequest": rows(sendMessageRequestType),
	"GetTaskRequest": rows(getTaskRequestType), "ListTasksRequest": rows(listTasksRequestType), "ListTasksResponse": rows(listTasksResponseType), "CancelTaskRequest": rows(cancelTaskRequestType),
	"GetTaskPushNotificationConfigRequest": rows(getTaskPushNotificationConfigRequestType), "DeleteTaskPushNotificationConfigRequest": rows(deleteTaskPushNotificationConfigRequestType),
	"SubscribeToTaskRequest": rows(subscribeToTaskRequestType), "ListTaskPushNotificationConfigsRequest": rows(listTaskPushNotificationConfigsRequestType),
	"GetExtendedAgentCardRequest": rows(getExtendedAgentCardRequestType), "SendMessageResponse": rows(sendMessageResponseType), "StreamResponse": rows(streamResponseType),
	"ListTaskPushNotificationConfigsResponse": rows(listTaskPushNotificationConfigsResponseType),
}

// Where the specification requires a field and the table does not refuse its
// absence: the default is a value, or a card in the field may do without.
var lenient = map[protoreflect.FullName]bool{"lf.a2a.v1.OAuth2SecurityScheme.flows": true}

// The table is the descriptors': every message, every field, its names, its
// presence, and what is required.
func TestTableIsTheDescriptors(t *testing.T) {
	messages := pb.File_a2av1_proto.Messages()
	require.Len(t, table, messages.Len())
	for i := range messages.Len() {
		md := messages.Get(i)
		have := table[md.Name()]
		require.Len(t, have, md.Fields().Len(), md.Name())
		mt, err := protoregistry.GlobalTypes.FindMessageByName(md.FullName())
		require.NoError(t, err)
		assert.NotNil(t, types[reflect.TypeOf(mt.Zero().Interface())], "%s cannot stand alone", md.Name())
		for j := range md.Fields().Len() {
			fd := md.Fields().Get(j)
			r, ok := have[fd.JSONName()]
			require.True(t, ok, fd.FullName())
			assert.Equal(t, string(fd.Name()), r.snake, fd.FullName())
			assert.False(t, r.isSet, "%s is there in an empty message", fd.FullName())
			assert.Equal(t, fd.ContainingOneof() != nil && !fd.ContainingOneof().IsSynthetic(), r.oneof, fd.FullName())
			assert.Equal(t, fd.IsList(), r.list, fd.FullName())
			if lenient[fd.FullName()] {
				assert.False(t, r.required || r.always)
				continue
			}
			assert.Equal(t, required(fd), r.required || r.always, fd.FullName())
		}
	}
}

func required(fd protoreflect.FieldDescriptor) bool {
	behavior, _ := proto.GetExtension(fd.Options(), annotations.E_FieldBehavior).([]annotations.FieldBehavior)
	for _, b := range behavior {
		if b == annotations.FieldBehavior_REQUIRED {
			return true
		}
	}
	return false
}

// Each field of each message comes back from text as it was, by this package
// and by the protobuf library.
func TestEveryFieldCrosses(t *testing.T) {
	messages := pb.File_a2av1_proto.Messages()
	for i := range messages.Len() {
		mt, err := protoregistry.GlobalTypes.FindMessageByName(messages.Get(i).FullName())
		require.NoError(t, err)
		for j := range messages.Get(i).Fields().Len() {
			m := mt.New()
			fd := messages.Get(i).Fields().Get(j)
			fill(m, fd)
			crosses(t, m.Interface(), fd)
		}
	}
}

func crosses(t *testing.T, m proto.Message, fd protoreflect.FieldDescriptor) {
	t.Helper()
	text, err := Append(nil, m)
	require.NoError(t, err, fd.FullName())
	assert.Contains(t, string(text), `"`+fd.JSONName()+`":`)
	v, err := examine(m)
	require.NoError(t, err)
	assert.LessOrEqual(t, proto.Size(m), v.Bound, fd.FullName())
	isClone(t, m)
	back := TypeOf(m).New()
	there, err := read(t, text, back)
	require.NoError(t, err, "%s: %s", fd.FullName(), text)
	assert.True(t, proto.Equal(m, back), "%s: %s", fd.FullName(), text)
	assert.LessOrEqual(t, proto.Size(m), there.Bound, fd.FullName())
	if o := fd.ContainingOneof(); o != nil && !o.IsSynthetic() {
		assert.Equal(t, fd.JSONName(), eventOf(there).Member)
	} else {
		assert.Empty(t, eventOf(there).Member, fd.FullName())
	}
	libraryAgrees(t, m, text)
}

// fill gives a field a value that is not its default, where it has others.
func fill(m protoreflect.Message, fd protoreflect.FieldDescriptor) {
	switch {
	case fd.IsMap():
		v := m.NewField(fd)
		if fd.MapValue().Message() != nil {
			v.Map().Set(protoreflect.ValueOfString("k").MapKey(), v.Map().NewValue())
		} else {
			v.Map().Set(protoreflect.ValueOfString("k").MapKey(), protoreflect.ValueOfString("v"))
		}
		m.Set(fd, v)
	case fd.IsList():
		v := m.NewField(fd)
		if fd.Message() != nil {
			v.List().AppendMutable()
		} else {
			v.List().Append(protoreflect.ValueOfString("x"))
		}
		m.Set(fd, v)
	case fd.Message() != nil:
		v := m.NewField(fd)
		if fd.Message().FullName() == "google.protobuf.Value" {
			v.Message().Set(fd.Message().Fields().ByName("bool_value"), protoreflect.ValueOfBool(true))
		}
		m.Set(fd, v)
	default:
		m.Set(fd, map[protoreflect.Kind]protoreflect.Value{
			protoreflect.StringKind: protoreflect.ValueOfString("x"), protoreflect.BoolKind: protoreflect.ValueOfBool(true),
			protoreflect.Int32Kind: protoreflect.ValueOfInt32(7), protoreflect.BytesKind: protoreflect.ValueOfBytes([]byte{1}),
			protoreflect.EnumKind: protoreflect.ValueOfEnum(1),
		}[fd.Kind()])
	}
}

// isClone holds a clone against its message: equal, and nothing shared.
func isClone(t *testing.T, m proto.Message) {
	t.Helper()
	c := TypeOf(m).Clone(m)
	assert.True(t, proto.Equal(m, c), "%v is not %v", c, m)
	in, out := map[uintptr]bool{}, map[uintptr]bool{}
	pointers(reflect.ValueOf(m), in)
	pointers(reflect.ValueOf(c), out)
	for p := range out {
		assert.False(t, in[p], "%T shares with its clone", m)
	}
}

// pointers collects what a message points to, in its exported fields.
func pointers(v reflect.Value, to map[uintptr]bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && v.Elem().Type().Size() > 0 {
			to[v.Pointer()] = true
			pointers(v.Elem(), to)
		}
	case reflect.Interface:
		if !v.IsNil() {
			pointers(v.Elem(), to)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				pointers(v.Field(i), to)
			}
		}
	case reflect.Slice:
		if v.Len() > 0 {
			to[v.Pointer()] = true
		}
		for i := range v.Len() {
			pointers(v.Index(i), to)
		}
	case reflect.Map:
		if v.Len() > 0 {
			to[v.Pointer()] = true
		}
		for it := v.MapRange(); it.Next(); {
			pointers(it.Value(), to)
		}
	}
}

func TestClone(t *testing.T) {
	for _, m := range []proto.Message{sampleRequest(), sampleCard(), sampleTask(), (*pb.Task)(nil), &pb.StreamResponse{}} {
		if m == proto.Message((*pb.Task)(nil)) {
			assert.NotNil(t, TypeOf(m).Clone(m), "a nil message is an empty one")
			continue
		}
		isClone(t, m)
	}
}
