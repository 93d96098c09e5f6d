package a2asdk

import (
	"github.com/a2aproject/a2a-go/v2/a2a"
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
)

func toPushConfig(c *pb.TaskPushNotificationConfig) *a2a.PushConfig {
	if c == nil {
		return nil
	}
	out := &a2a.PushConfig{
		Tenant: c.GetTenant(),
		TaskID: a2a.TaskID(c.GetTaskId()),
		ID:     c.GetId(),
		URL:    c.GetUrl(),
		Token:  c.GetToken(),
	}
	if a := c.GetAuthentication(); a != nil {
		out.Auth = &a2a.PushAuthInfo{Scheme: a.GetScheme(), Credentials: a.GetCredentials()}
	}
	return out
}

func fromPushConfig(c *a2a.PushConfig) *pb.TaskPushNotificationConfig {
	if c == nil {
		return nil
	}
	out := &pb.TaskPushNotificationConfig{
		Tenant: c.Tenant,
		TaskId: string(c.TaskID),
		Id:     c.ID,
		Url:    c.URL,
		Token:  c.Token,
	}
	if a := c.Auth; a != nil {
		out.Authentication = &pb.AuthenticationInfo{Scheme: a.Scheme, Credentials: a.Credentials}
	}
	return out
}

func toGetConfig(r *pb.GetTaskPushNotificationConfigRequest) *a2a.GetTaskPushConfigRequest {
	return &a2a.GetTaskPushConfigRequest{Tenant: r.GetTenant(), TaskID: a2a.TaskID(r.GetTaskId()), ID: r.GetId()}
}

func fromGetConfig(r *a2a.GetTaskPushConfigRequest) *pb.GetTaskPushNotificationConfigRequest {
	return &pb.GetTaskPushNotificationConfigRequest{Tenant: r.Tenant, TaskId: string(r.TaskID), Id: r.ID}
}

func toDeleteConfig(r *pb.DeleteTaskPushNotificationConfigRequest) *a2a.DeleteTaskPushConfigRequest {
	return &a2a.DeleteTaskPushConfigRequest{Tenant: r.GetTenant(), TaskID: a2a.TaskID(r.GetTaskId()), ID: r.GetId()}
}

func fromDeleteConfig(r *a2a.DeleteTaskPushConfigRequest) *pb.DeleteTaskPushNotificationConfigRequest {
	return &pb.DeleteTaskPushNotificationConfigRequest{Tenant: r.Tenant, TaskId: string(r.TaskID), Id: r.ID}
}

func toListConfigs(r *pb.ListTaskPushNotificationConfigsRequest) *a2a.ListTaskPushConfigRequest {
	return &a2a.ListTaskPushConfigRequest{
		Tenant:    r.GetTenant(),
		TaskID:    a2a.TaskID(r.GetTaskId()),
		PageSize:  int(r.GetPageSize()),
		PageToken: r.GetPageToken(),
	}
}

func fromListConfigs(r *a2a.ListTaskPushConfigRequest) *pb.ListTaskPushNotificationConfigsRequest {
	return &pb.ListTaskPushNotificationConfigsRequest{
		Tenant:    r.Tenant,
		TaskId:    string(r.TaskID),
		PageSize:  int32Of(r.PageSize),
		PageToken: r.PageToken,
	}
}

func toConfigs(r *pb.ListTaskPushNotificationConfigsResponse) *a2a.ListTaskPushConfigResponse {
	return &a2a.ListTaskPushConfigResponse{Configs: list(r.GetConfigs(), toPushConfig), NextPageToken: r.GetNextPageToken()}
}

func fromConfigs(r *a2a.ListTaskPushConfigResponse) *pb.ListTaskPushNotificationConfigsResponse {
	if r == nil {
		return nil
	}
	return &pb.ListTaskPushNotificationConfigsResponse{Configs: list(r.Configs, fromPushConfig), NextPageToken: r.NextPageToken}
}
