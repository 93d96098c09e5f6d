package datamodel

import (
	"reflect"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// The data model of the specification (spec 4, package lf.a2a.v1), a line a
// field. req and must are required (spec 5.7); kept is required, too, but its
// default is a value: it is written, and nothing is missing without it (spec
// 3.1.4, 8.4.1).

var (
	roles      = names{pb.Role_name, pb.Role_value}
	taskStates = names{pb.TaskState_name, pb.TaskState_value}
)

var authenticationInfoType = of(
	text("scheme", func(m *pb.AuthenticationInfo) *string { return &m.Scheme }).req(),
	text("credentials", func(m *pb.AuthenticationInfo) *string { return &m.Credentials }),
)

var taskPushNotificationConfigType = of(
	text("tenant", func(m *pb.TaskPushNotificationConfig) *string { return &m.Tenant }),
	text("id", func(m *pb.TaskPushNotificationConfig) *string { return &m.Id }),
	text("taskId", func(m *pb.TaskPushNotificationConfig) *string { return &m.TaskId }),
	text("url", func(m *pb.TaskPushNotificationConfig) *string { return &m.Url }).req(),
	text("token", func(m *pb.TaskPushNotificationConfig) *string { return &m.Token }),
	one("authentication", authenticationInfoType, func(m *pb.TaskPushNotificationConfig) **pb.AuthenticationInfo { return &m.Authentication }),
)

var sendMessageConfigurationType = of(
	texts("acceptedOutputModes", func(m *pb.SendMessageConfiguration) *[]string { return &m.AcceptedOutputModes }),
	one("taskPushNotificationConfig", taskPushNotificationConfigType, func(m *pb.SendMessageConfiguration) **pb.TaskPushNotificationConfig {
		return &m.TaskPushNotificationConfig
	}),
	optNumber("historyLength", func(m *pb.SendMessageConfiguration) **int32 { return &m.HistoryLength }),
	flag("returnImmediately", func(m *pb.SendMessageConfiguration) *bool { return &m.ReturnImmediately }),
)

// partType has the values of its oneof in line; all other oneofs hold messages.
var partType = of(
	ofText("text", func(m *pb.Part) (string, bool) {
		x, ok := m.Content.(*pb.Part_Text)
		if !ok {
			return "", false
		}
		return x.Text, true
	}, func(m *pb.Part, s string) { m.Content = &pb.Part_Text{Text: s} }),
	ofBytes("raw", func(m *pb.Part) ([]byte, bool) {
		x, ok := m.Content.(*pb.Part_Raw)
		if !ok {
			return nil, false
		}
		return x.Raw, true
	}, func(m *pb.Part, b []byte) { m.Content = &pb.Part_Raw{Raw: b} }),
	ofText("url", func(m *pb.Part) (string, bool) {
		x, ok := m.Content.(*pb.Part_Url)
		if !ok {
			return "", false
		}
		return x.Url, true
	}, func(m *pb.Part, s string) { m.Content = &pb.Part_Url{Url: s} }),
	ofValue("data", (*pb.Part).GetData, func(m *pb.Part, v *structpb.Value) { m.Content = &pb.Part_Data{Data: v} }),
	structure("metadata", func(m *pb.Part) **structpb.Struct { return &m.Metadata }),
	text("filename", func(m *pb.Part) *string { return &m.Filename }),
	text("mediaType", func(m *pb.Part) *string { return &m.MediaType }),
).with("content", true)

var messageType = of(
	text("messageId", func(m *pb.Message) *string { return &m.MessageId }).req(),
	text("contextId", func(m *pb.Message) *string { return &m.ContextId }),
	text("taskId", func(m *pb.Message) *string { return &m.TaskId }),
	enum("role", roles, func(m *pb.Message) *pb.Role { return &m.Role }).req(),
	many("parts", partType, func(m *pb.Message) *[]*pb.Part { return &m.Parts }).req(),
	structure("metadata", func(m *pb.Message) **structpb.Struct { return &m.Metadata }),
	texts("extensions", func(m *pb.Message) *[]string { return &m.Extensions }),
	texts("referenceTaskIds", func(m *pb.Message) *[]string { return &m.ReferenceTaskIds }),
)

var taskStatusType = of(
	enum("state", taskStates, func(m *pb.TaskStatus) *pb.TaskState { return &m.State }).req(),
	one("message", messageType, func(m *pb.TaskStatus) **pb.Message { return &m.Message }),
	moment("timestamp", func(m *pb.TaskStatus) **timestamppb.Timestamp { return &m.Timestamp }),
)

var artifactType = of(
	text("artifactId", func(m *pb.Artifact) *string { return &m.ArtifactId }).req(),
	text("name", func(m *pb.Artifact) *string { return &m.Name }),
	text("description", func(m *pb.Artifact) *string { return &m.Description }),
	many("parts", partType, func(m *pb.Artifact) *[]*pb.Part { return &m.Parts }).req(),
	structure("metadata", func(m *pb.Artifact) **structpb.Struct { return &m.Metadata }),
	texts("extensions", func(m *pb.Artifact) *[]string { return &m.Extensions }),
)

var taskType = of(
	taskID("id", func(m *pb.Task) *string { return &m.Id }).req(),
	text("contextId", func(m *pb.Task) *string { return &m.ContextId }),
	one("status", taskStatusType, func(m *pb.Task) **pb.TaskStatus { return &m.Status }).must(),
	many("artifacts", artifactType, func(m *pb.Task) *[]*pb.Artifact { return &m.Artifacts }),
	many("history", messageType, func(m *pb.Task) *[]*pb.Message { return &m.History }),
	structure("metadata", func(m *pb.Task) **structpb.Struct { return &m.Metadata }),
)

var taskStatusUpdateEventType = of(
	taskID("taskId", func(m *pb.TaskStatusUpdateEvent) *string { return &m.TaskId }).req(),
	text("contextId", func(m *pb.TaskStatusUpdateEvent) *string { return &m.ContextId }).req(),
	one("status", taskStatusType, func(m *pb.TaskStatusUpdateEvent) **pb.TaskStatus { return &m.Status }).must(),
	structure("metadata", func(m *pb.TaskStatusUpdateEvent) **structpb.Struct { return &m.Metadata }),
)

var taskArtifactUpdateEventType = of(
	taskID("taskId", func(m *pb.TaskArtifactUpdateEvent) *string { return &m.TaskId }).req(),
	text("contextId", func(m *pb.TaskArtifactUpdateEvent) *string { return &m.ContextId }).req(),
	one("artifact", artifactType, func(m *pb.TaskArtifactUpdateEvent) **pb.Artifact { return &m.Artifact }).must(),
	flag("append", func(m *pb.TaskArtifactUpdateEvent) *bool { return &m.Append }),
	flag("lastChunk", func(m *pb.TaskArtifactUpdateEvent) *bool { return &m.LastChunk }),
	structure("metadata", func(m *pb.TaskArtifactUpdateEvent) **structpb.Struct { return &m.Metadata }),
)

var agentInterfaceType = of(
	text("url", func(m *pb.AgentInterface) *string { return &m.Url }).req(),
	text("protocolBinding", func(m *pb.AgentInterface) *string { return &m.ProtocolBinding }).req(),
	text("tenant", func(m *pb.AgentInterface) *string { return &m.Tenant }),
	text("protocolVersion", func(m *pb.AgentInterface) *string { return &m.ProtocolVersion }).req(),
)

var agentProviderType = of(
	text("url", func(m *pb.AgentProvider) *string { return &m.Url }).kept(),
	text("organization", func(m *pb.AgentProvider) *string { return &m.Organization }).kept(),
)

var agentExtensionType = of(
	text("uri", func(m *pb.AgentExtension) *string { return &m.Uri }),
	text("description", func(m *pb.AgentExtension) *string { return &m.Description }),
	flag("required", func(m *pb.AgentExtension) *bool { return &m.Required }),
	structure("params", func(m *pb.AgentExtension) **structpb.Struct { return &m.Params }),
)

var agentCapabilitiesType = of(
	optFlag("streaming", func(m *pb.AgentCapabilities) **bool { return &m.Streaming }),
	optFlag("pushNotifications", func(m *pb.AgentCapabilities) **bool { return &m.PushNotifications }),
	many("extensions", agentExtensionType, func(m *pb.AgentCapabilities) *[]*pb.AgentExtension { return &m.Extensions }),
	optFlag("extendedAgentCard", func(m *pb.AgentCapabilities) **bool { return &m.ExtendedAgentCard }),
)

var stringListType = of(
	texts("list", func(m *pb.StringList) *[]string { return &m.List }),
)

var securityRequirementType = of(
	mapOf("schemes", stringListType, func(m *pb.SecurityRequirement) *map[string]*pb.StringList { return &m.Schemes }),
)

var agentSkillType = of(
	text("id", func(m *pb.AgentSkill) *string { return &m.Id }).kept(),
	text("name", func(m *pb.AgentSkill) *string { return &m.Name }).kept(),
	text("description", func(m *pb.AgentSkill) *string { return &m.Description }).kept(),
	texts("tags", func(m *pb.AgentSkill) *[]string { return &m.Tags }).kept(),
	texts("examples", func(m *pb.AgentSkill) *[]string { return &m.Examples }),
	texts("inputModes", func(m *pb.AgentSkill) *[]string { return &m.InputModes }),
	texts("outputModes", func(m *pb.AgentSkill) *[]string { return &m.OutputModes }),
	many("securityRequirements", securityRequirementType, func(m *pb.AgentSkill) *[]*pb.SecurityRequirement { return &m.SecurityRequirements }),
)

var agentCardSignatureType = of(
	text("protected", func(m *pb.AgentCardSignature) *string { return &m.Protected }).kept(),
	text("signature", func(m *pb.AgentCardSignature) *string { return &m.Signature }).kept(),
	structure("header", func(m *pb.AgentCardSignature) **structpb.Struct { return &m.Header }),
)

var apiKeySecuritySchemeType = of(
	text("description", func(m *pb.APIKeySecurityScheme) *string { return &m.Description }),
	text("location", func(m *pb.APIKeySecurityScheme) *string { return &m.Location }).kept(),
	text("name", func(m *pb.APIKeySecurityScheme) *string { return &m.Name }).kept(),
)

var httpAuthSecuritySchemeType = of(
	text("description", func(m *pb.HTTPAuthSecurityScheme) *string { return &m.Description }),
	text("scheme", func(m *pb.HTTPAuthSecurityScheme) *string { return &m.Scheme }).kept(),
	text("bearerFormat", func(m *pb.HTTPAuthSecurityScheme) *string { return &m.BearerFormat }),
)

var authorizationCodeOAuthFlowType = of(
	text("authorizationUrl", func(m *pb.AuthorizationCodeOAuthFlow) *string { return &m.AuthorizationUrl }).kept(),
	text("tokenUrl", func(m *pb.AuthorizationCodeOAuthFlow) *string { return &m.TokenUrl }).kept(),
	text("refreshUrl", func(m *pb.AuthorizationCodeOAuthFlow) *string { return &m.RefreshUrl }),
	textMap("scopes", func(m *pb.AuthorizationCodeOAuthFlow) *map[string]string { return &m.Scopes }).kept(),
	flag("pkceRequired", func(m *pb.AuthorizationCodeOAuthFlow) *bool { return &m.PkceRequired }),
)

var clientCredentialsOAuthFlowType = of(
	text("tokenUrl", func(m *pb.ClientCredentialsOAuthFlow) *string { return &m.TokenUrl }).kept(),
	text("refreshUrl", func(m *pb.ClientCredentialsOAuthFlow) *string { return &m.RefreshUrl }),
	textMap("scopes", func(m *pb.ClientCredentialsOAuthFlow) *map[string]string { return &m.Scopes }).kept(),
)

var implicitOAuthFlowType = of(
	text("authorizationUrl", func(m *pb.ImplicitOAuthFlow) *string { return &m.AuthorizationUrl }),
	text("refreshUrl", func(m *pb.ImplicitOAuthFlow) *string { return &m.RefreshUrl }),
	textMap("scopes", func(m *pb.ImplicitOAuthFlow) *map[string]string { return &m.Scopes }),
)

var passwordOAuthFlowType = of(
	text("tokenUrl", func(m *pb.PasswordOAuthFlow) *string { return &m.TokenUrl }),
	text("refreshUrl", func(m *pb.PasswordOAuthFlow) *string { return &m.RefreshUrl }),
	textMap("scopes", func(m *pb.PasswordOAuthFlow) *map[string]string { return &m.Scopes }),
)

var deviceCodeOAuthFlowType = of(
	text("deviceAuthorizationUrl", func(m *pb.DeviceCodeOAuthFlow) *string { return &m.DeviceAuthorizationUrl }).kept(),
	text("tokenUrl", func(m *pb.DeviceCodeOAuthFlow) *string { return &m.TokenUrl }).kept(),
	text("refreshUrl", func(m *pb.DeviceCodeOAuthFlow) *string { return &m.RefreshUrl }),
	textMap("scopes", func(m *pb.DeviceCodeOAuthFlow) *map[string]string { return &m.Scopes }).kept(),
)

var oauthFlowsType = of(
	ofOne("authorizationCode", authorizationCodeOAuthFlowType, (*pb.OAuthFlows).GetAuthorizationCode, func(m *pb.OAuthFlows, x *pb.AuthorizationCodeOAuthFlow) {
		m.Flow = &pb.OAuthFlows_AuthorizationCode{AuthorizationCode: x}
	}),
	ofOne("clientCredentials", clientCredentialsOAuthFlowType, (*pb.OAuthFlows).GetClientCredentials, func(m *pb.OAuthFlows, x *pb.ClientCredentialsOAuthFlow) {
		m.Flow = &pb.OAuthFlows_ClientCredentials{ClientCredentials: x}
	}),
	ofOne("implicit", implicitOAuthFlowType, (*pb.OAuthFlows).GetImplicit, func(m *pb.OAuthFlows, x *pb.ImplicitOAuthFlow) { m.Flow = &pb.OAuthFlows_Implicit{Implicit: x} }),
	ofOne("password", passwordOAuthFlowType, (*pb.OAuthFlows).GetPassword, func(m *pb.OAuthFlows, x *pb.PasswordOAuthFlow) { m.Flow = &pb.OAuthFlows_Password{Password: x} }),
	ofOne("deviceCode", deviceCodeOAuthFlowType, (*pb.OAuthFlows).GetDeviceCode, func(m *pb.OAuthFlows, x *pb.DeviceCodeOAuthFlow) { m.Flow = &pb.OAuthFlows_DeviceCode{DeviceCode: x} }),
).with("flow", false)

var oauth2SecuritySchemeType = of(
	text("description", func(m *pb.OAuth2SecurityScheme) *string { return &m.Description }),
	one("flows", oauthFlowsType, func(m *pb.OAuth2SecurityScheme) **pb.OAuthFlows { return &m.Flows }),
	text("oauth2MetadataUrl", func(m *pb.OAuth2SecurityScheme) *string { return &m.Oauth2MetadataUrl }),
)

var openIdConnectSecuritySchemeType = of(
	text("description", func(m *pb.OpenIdConnectSecurityScheme) *string { return &m.Description }),
	text("openIdConnectUrl", func(m *pb.OpenIdConnectSecurityScheme) *string { return &m.OpenIdConnectUrl }).kept(),
)

var mutualTlsSecuritySchemeType = of(
	text("description", func(m *pb.MutualTlsSecurityScheme) *string { return &m.Description }),
)

var securitySchemeType = of(
	ofOne("apiKeySecurityScheme", apiKeySecuritySchemeType, (*pb.SecurityScheme).GetApiKeySecurityScheme, func(m *pb.SecurityScheme, x *pb.APIKeySecurityScheme) {
		m.Scheme = &pb.SecurityScheme_ApiKeySecurityScheme{ApiKeySecurityScheme: x}
	}),
	ofOne("httpAuthSecurityScheme", httpAuthSecuritySchemeType, (*pb.SecurityScheme).GetHttpAuthSecurityScheme, func(m *pb.SecurityScheme, x *pb.HTTPAuthSecurityScheme) {
		m.Scheme = &pb.SecurityScheme_HttpAuthSecurityScheme{HttpAuthSecurityScheme: x}
	}),
	ofOne("oauth2SecurityScheme", oauth2SecuritySchemeType, (*pb.SecurityScheme).GetOauth2SecurityScheme, func(m *pb.SecurityScheme, x *pb.OAuth2SecurityScheme) {
		m.Scheme = &pb.SecurityScheme_Oauth2SecurityScheme{Oauth2SecurityScheme: x}
	}),
	ofOne("openIdConnectSecurityScheme", openIdConnectSecuritySchemeType, (*pb.SecurityScheme).GetOpenIdConnectSecurityScheme, func(m *pb.SecurityScheme, x *pb.OpenIdConnectSecurityScheme) {
		m.Scheme = &pb.SecurityScheme_OpenIdConnectSecurityScheme{OpenIdConnectSecurityScheme: x}
	}),
	ofOne("mtlsSecurityScheme", mutualTlsSecuritySchemeType, (*pb.SecurityScheme).GetMtlsSecurityScheme, func(m *pb.SecurityScheme, x *pb.MutualTlsSecurityScheme) {
		m.Scheme = &pb.SecurityScheme_MtlsSecurityScheme{MtlsSecurityScheme: x}
	}),
).with("scheme", false)

var agentCardType = of(
	text("name", func(m *pb.AgentCard) *string { return &m.Name }).kept(),
	text("description", func(m *pb.AgentCard) *string { return &m.Description }).kept(),
	many("supportedInterfaces", agentInterfaceType, func(m *pb.AgentCard) *[]*pb.AgentInterface { return &m.SupportedInterfaces }).req(),
	one("provider", agentProviderType, func(m *pb.AgentCard) **pb.AgentProvider { return &m.Provider }),
	text("version", func(m *pb.AgentCard) *string { return &m.Version }).kept(),
	optText("documentationUrl", func(m *pb.AgentCard) **string { return &m.DocumentationUrl }),
	one("capabilities", agentCapabilitiesType, func(m *pb.AgentCard) **pb.AgentCapabilities { return &m.Capabilities }).must(),
	mapOf("securitySchemes", securitySchemeType, func(m *pb.AgentCard) *map[string]*pb.SecurityScheme { return &m.SecuritySchemes }),
	many("securityRequirements", securityRequirementType, func(m *pb.AgentCard) *[]*pb.SecurityRequirement { return &m.SecurityRequirements }),
	texts("defaultInputModes", func(m *pb.AgentCard) *[]string { return &m.DefaultInputModes }).kept(),
	texts("defaultOutputModes", func(m *pb.AgentCard) *[]string { return &m.DefaultOutputModes }).kept(),
	many("skills", agentSkillType, func(m *pb.AgentCard) *[]*pb.AgentSkill { return &m.Skills }).kept(),
	many("signatures", agentCardSignatureType, func(m *pb.AgentCard) *[]*pb.AgentCardSignature { return &m.Signatures }),
	optText("iconUrl", func(m *pb.AgentCard) **string { return &m.IconUrl }),
)

var sendMessageRequestType = of(
	text("tenant", func(m *pb.SendMessageRequest) *string { return &m.Tenant }),
	one("message", messageType, func(m *pb.SendMessageRequest) **pb.Message { return &m.Message }).must(),
	one("configuration", sendMessageConfigurationType, func(m *pb.SendMessageRequest) **pb.SendMessageConfiguration { return &m.Configuration }),
	structure("metadata", func(m *pb.SendMessageRequest) **structpb.Struct { return &m.Metadata }),
)

var getTaskRequestType = of(
	text("tenant", func(m *pb.GetTaskRequest) *string { return &m.Tenant }),
	text("id", func(m *pb.GetTaskRequest) *string { return &m.Id }).req(),
	optNumber("historyLength", func(m *pb.GetTaskRequest) **int32 { return &m.HistoryLength }),
)

var listTasksRequestType = of(
	text("tenant", func(m *pb.ListTasksRequest) *string { return &m.Tenant }),
	text("contextId", func(m *pb.ListTasksRequest) *string { return &m.ContextId }),
	enum("status", taskStates, func(m *pb.ListTasksRequest) *pb.TaskState { return &m.Status }),
	optNumber("pageSize", func(m *pb.ListTasksRequest) **int32 { return &m.PageSize }),
	text("pageToken", func(m *pb.ListTasksRequest) *string { return &m.PageToken }),
	optNumber("historyLength", func(m *pb.ListTasksRequest) **int32 { return &m.HistoryLength }),
	moment("statusTimestampAfter", func(m *pb.ListTasksRequest) **timestamppb.Timestamp { return &m.StatusTimestampAfter }),
	optFlag("includeArtifacts", func(m *pb.ListTasksRequest) **bool { return &m.IncludeArtifacts }),
)

var listTasksResponseType = of(
	many("tasks", taskType, func(m *pb.ListTasksResponse) *[]*pb.Task { return &m.Tasks }).kept(),
	text("nextPageToken", func(m *pb.ListTasksResponse) *string { return &m.NextPageToken }).kept(),
	number("pageSize", func(m *pb.ListTasksResponse) *int32 { return &m.PageSize }).kept(),
	number("totalSize", func(m *pb.ListTasksResponse) *int32 { return &m.TotalSize }).kept(),
)

var cancelTaskRequestType = of(
	text("tenant", func(m *pb.CancelTaskRequest) *string { return &m.Tenant }),
	text("id", func(m *pb.CancelTaskRequest) *string { return &m.Id }).req(),
	structure("metadata", func(m *pb.CancelTaskRequest) **structpb.Struct { return &m.Metadata }),
)

var getTaskPushNotificationConfigRequestType = of(
	text("tenant", func(m *pb.GetTaskPushNotificationConfigRequest) *string { return &m.Tenant }),
	text("taskId", func(m *pb.GetTaskPushNotificationConfigRequest) *string { return &m.TaskId }).req(),
	text("id", func(m *pb.GetTaskPushNotificationConfigRequest) *string { return &m.Id }).req(),
)

var deleteTaskPushNotificationConfigRequestType = of(
	text("tenant", func(m *pb.DeleteTaskPushNotificationConfigRequest) *string { return &m.Tenant }),
	text("taskId", func(m *pb.DeleteTaskPushNotificationConfigRequest) *string { return &m.TaskId }).req(),
	text("id", func(m *pb.DeleteTaskPushNotificationConfigRequest) *string { return &m.Id }).req(),
)

var subscribeToTaskRequestType = of(
	text("tenant", func(m *pb.SubscribeToTaskRequest) *string { return &m.Tenant }),
	text("id", func(m *pb.SubscribeToTaskRequest) *string { return &m.Id }).req(),
)

var listTaskPushNotificationConfigsRequestType = of(
	text("tenant", func(m *pb.ListTaskPushNotificationConfigsRequest) *string { return &m.Tenant }),
	text("taskId", func(m *pb.ListTaskPushNotificationConfigsRequest) *string { return &m.TaskId }).req(),
	number("pageSize", func(m *pb.ListTaskPushNotificationConfigsRequest) *int32 { return &m.PageSize }),
	text("pageToken", func(m *pb.ListTaskPushNotificationConfigsRequest) *string { return &m.PageToken }),
)

var listTaskPushNotificationConfigsResponseType = of(
	many("configs", taskPushNotificationConfigType, func(m *pb.ListTaskPushNotificationConfigsResponse) *[]*pb.TaskPushNotificationConfig {
		return &m.Configs
	}),
	text("nextPageToken", func(m *pb.ListTaskPushNotificationConfigsResponse) *string { return &m.NextPageToken }),
)

var getExtendedAgentCardRequestType = of(
	text("tenant", func(m *pb.GetExtendedAgentCardRequest) *string { return &m.Tenant }),
)

var sendMessageResponseType = of(
	ofOne("task", taskType, (*pb.SendMessageResponse).GetTask, func(m *pb.SendMessageResponse, x *pb.Task) { m.Payload = &pb.SendMessageResponse_Task{Task: x} }),
	ofOne("message", messageType, (*pb.SendMessageResponse).GetMessage, func(m *pb.SendMessageResponse, x *pb.Message) {
		m.Payload = &pb.SendMessageResponse_Message{Message: x}
	}),
).with("payload", true)

var streamResponseType = of(
	ofOne("task", taskType, (*pb.StreamResponse).GetTask, func(m *pb.StreamResponse, x *pb.Task) { m.Payload = &pb.StreamResponse_Task{Task: x} }),
	ofOne("message", messageType, (*pb.StreamResponse).GetMessage, func(m *pb.StreamResponse, x *pb.Message) { m.Payload = &pb.StreamResponse_Message{Message: x} }),
	ofOne("statusUpdate", taskStatusUpdateEventType, (*pb.StreamResponse).GetStatusUpdate, func(m *pb.StreamResponse, x *pb.TaskStatusUpdateEvent) {
		m.Payload = &pb.StreamResponse_StatusUpdate{StatusUpdate: x}
	}),
	ofOne("artifactUpdate", taskArtifactUpdateEventType, (*pb.StreamResponse).GetArtifactUpdate, func(m *pb.StreamResponse, x *pb.TaskArtifactUpdateEvent) {
		m.Payload = &pb.StreamResponse_ArtifactUpdate{ArtifactUpdate: x}
	}),
).with("payload", true)

var emptyType = of[emptypb.Empty]()

// types are the types whose messages may stand alone, by the messages' Go type.
var types = func() map[reflect.Type]*Type {
	all := map[reflect.Type]*Type{}
	add := func(r reflect.Type, t *Type) { all[r] = t }
	add(root[pb.AuthenticationInfo](authenticationInfoType))
	add(root[pb.TaskPushNotificationConfig](taskPushNotificationConfigType))
	add(root[pb.SendMessageConfiguration](sendMessageConfigurationType))
	add(root[pb.Part](partType))
	add(root[pb.Message](messageType))
	add(root[pb.TaskStatus](taskStatusType))
	add(root[pb.Artifact](artifactType))
	add(root[pb.Task](taskType))
	add(root[pb.TaskStatusUpdateEvent](taskStatusUpdateEventType))
	add(root[pb.TaskArtifactUpdateEvent](taskArtifactUpdateEventType))
	add(root[pb.AgentInterface](agentInterfaceType))
	add(root[pb.AgentProvider](agentProviderType))
	add(root[pb.AgentExtension](agentExtensionType))
	add(root[pb.AgentCapabilities](agentCapabilitiesType))
	add(root[pb.StringList](stringListType))
	add(root[pb.SecurityRequirement](securityRequirementType))
	add(root[pb.AgentSkill](agentSkillType))
	add(root[pb.AgentCardSignature](agentCardSignatureType))
	add(root[pb.APIKeySecurityScheme](apiKeySecuritySchemeType))
	add(root[pb.HTTPAuthSecurityScheme](httpAuthSecuritySchemeType))
	add(root[pb.AuthorizationCodeOAuthFlow](authorizationCodeOAuthFlowType))
	add(root[pb.ClientCredentialsOAuthFlow](clientCredentialsOAuthFlowType))
	add(root[pb.ImplicitOAuthFlow](implicitOAuthFlowType))
	add(root[pb.PasswordOAuthFlow](passwordOAuthFlowType))
	add(root[pb.DeviceCodeOAuthFlow](deviceCodeOAuthFlowType))
	add(root[pb.OAuthFlows](oauthFlowsType))
	add(root[pb.OAuth2SecurityScheme](oauth2SecuritySchemeType))
	add(root[pb.OpenIdConnectSecurityScheme](openIdConnectSecuritySchemeType))
	add(root[pb.MutualTlsSecurityScheme](mutualTlsSecuritySchemeType))
	add(root[pb.SecurityScheme](securitySchemeType))
	add(root[pb.AgentCard](agentCardType))
	add(root[pb.SendMessageRequest](sendMessageRequestType))
	add(root[pb.GetTaskRequest](getTaskRequestType))
	add(root[pb.ListTasksRequest](listTasksRequestType))
	add(root[pb.ListTasksResponse](listTasksResponseType))
	add(root[pb.CancelTaskRequest](cancelTaskRequestType))
	add(root[pb.GetTaskPushNotificationConfigRequest](getTaskPushNotificationConfigRequestType))
	add(root[pb.DeleteTaskPushNotificationConfigRequest](deleteTaskPushNotificationConfigRequestType))
	add(root[pb.SubscribeToTaskRequest](subscribeToTaskRequestType))
	add(root[pb.ListTaskPushNotificationConfigsRequest](listTaskPushNotificationConfigsRequestType))
	add(root[pb.ListTaskPushNotificationConfigsResponse](listTaskPushNotificationConfigsResponseType))
	add(root[pb.GetExtendedAgentCardRequest](getExtendedAgentCardRequestType))
	add(root[pb.SendMessageResponse](sendMessageResponseType))
	add(root[pb.StreamResponse](streamResponseType))
	add(root[emptypb.Empty](emptyType))
	add(plain((*decoder).structure, (*encoder).structure, (*checker).structure))
	add(plain((*decoder).value, (*encoder).value, (*checker).value))
	return all
}()

// plain is a type that ProtoJSON writes as plain JSON.
func plain[M any, P message[M]](read func(*decoder, P) error, write func(*encoder, []byte, P) ([]byte, error), check func(*checker, P) error) (reflect.Type, *Type) {
	return reflect.TypeFor[P](), &Type{
		create: func() proto.Message { return P(new(M)) },
		read: func(d *decoder, m proto.Message) error {
			to, _ := m.(P)
			return read(d, to)
		},
		write: func(e *encoder, dst []byte, m proto.Message) ([]byte, error) { return write(e, dst, m.(P)) },
		check: func(c *checker, m proto.Message) error { return check(c, m.(P)) },
		clone: proto.Clone,
	}
}
