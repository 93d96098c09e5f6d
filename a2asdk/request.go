package a2asdk

import (
	"github.com/a2aproject/a2a-go/v2/a2a"
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
)

func toSendMessage(r *pb.SendMessageRequest) *a2a.SendMessageRequest {
	out := &a2a.SendMessageRequest{
		Tenant:   r.GetTenant(),
		Message:  toMessage(r.GetMessage()),
		Metadata: toMap(r.GetMetadata()),
	}
	if c := r.GetConfiguration(); c != nil {
		out.Config = &a2a.SendMessageConfig{
			AcceptedOutputModes: c.GetAcceptedOutputModes(),
			ReturnImmediately:   c.GetReturnImmediately(),
			HistoryLength:       toInt(c.HistoryLength),
			PushConfig:          toPushConfig(c.GetTaskPushNotificationConfig()),
		}
	}
	return out
}

func fromSendMessage(r *a2a.SendMessageRequest) *pb.SendMessageRequest {
	out := &pb.SendMessageRequest{
		Tenant:   r.Tenant,
		Message:  fromMessage(r.Message),
		Metadata: fromMap(r.Metadata),
	}
	if c := r.Config; c != nil {
		out.Configuration = &pb.SendMessageConfiguration{
			AcceptedOutputModes:        c.AcceptedOutputModes,
			ReturnImmediately:          c.ReturnImmediately,
			HistoryLength:              fromInt(c.HistoryLength),
			TaskPushNotificationConfig: fromPushConfig(c.PushConfig),
		}
	}
	return out
}

func toGetTask(r *pb.GetTaskRequest) *a2a.GetTaskRequest {
	return &a2a.GetTaskRequest{Tenant: r.GetTenant(), ID: a2a.TaskID(r.GetId()), HistoryLength: toInt(r.HistoryLength)}
}

func fromGetTask(r *a2a.GetTaskRequest) *pb.GetTaskRequest {
	return &pb.GetTaskRequest{Tenant: r.Tenant, Id: string(r.ID), HistoryLength: fromInt(r.HistoryLength)}
}

func toCancelTask(r *pb.CancelTaskRequest) *a2a.CancelTaskRequest {
	return &a2a.CancelTaskRequest{Tenant: r.GetTenant(), ID: a2a.TaskID(r.GetId()), Metadata: toMap(r.GetMetadata())}
}

func fromCancelTask(r *a2a.CancelTaskRequest) *pb.CancelTaskRequest {
	return &pb.CancelTaskRequest{Tenant: r.Tenant, Id: string(r.ID), Metadata: fromMap(r.Metadata)}
}

func toSubscribe(r *pb.SubscribeToTaskRequest) *a2a.SubscribeToTaskRequest {
	return &a2a.SubscribeToTaskRequest{Tenant: r.GetTenant(), ID: a2a.TaskID(r.GetId())}
}

func fromSubscribe(r *a2a.SubscribeToTaskRequest) *pb.SubscribeToTaskRequest {
	return &pb.SubscribeToTaskRequest{Tenant: r.Tenant, Id: string(r.ID)}
}

func toGetCard(r *pb.GetExtendedAgentCardRequest) *a2a.GetExtendedAgentCardRequest {
	return &a2a.GetExtendedAgentCardRequest{Tenant: r.GetTenant()}
}

func fromGetCard(r *a2a.GetExtendedAgentCardRequest) *pb.GetExtendedAgentCardRequest {
	return &pb.GetExtendedAgentCardRequest{Tenant: r.Tenant}
}

// To the SDK a page size of 0 is an unset one, and includeArtifacts is never unset.

func toListTasks(r *pb.ListTasksRequest) *a2a.ListTasksRequest {
	return &a2a.ListTasksRequest{
		Tenant:               r.GetTenant(),
		ContextID:            r.GetContextId(),
		Status:               a2a.TaskState(toEnum(r.GetStatus())),
		PageSize:             int(r.GetPageSize()),
		PageToken:            r.GetPageToken(),
		HistoryLength:        toInt(r.HistoryLength),
		StatusTimestampAfter: toTime(r.GetStatusTimestampAfter()),
		IncludeArtifacts:     r.GetIncludeArtifacts(),
	}
}

func fromListTasks(r *a2a.ListTasksRequest) *pb.ListTasksRequest {
	out := &pb.ListTasksRequest{
		Tenant:               r.Tenant,
		ContextId:            r.ContextID,
		Status:               fromState(r.Status),
		PageToken:            r.PageToken,
		HistoryLength:        fromInt(r.HistoryLength),
		StatusTimestampAfter: fromTime(r.StatusTimestampAfter),
	}
	if r.PageSize != 0 {
		out.PageSize = proto.Int32(int32Of(r.PageSize))
	}
	if r.IncludeArtifacts {
		out.IncludeArtifacts = proto.Bool(true)
	}
	return out
}

func toTasks(r *pb.ListTasksResponse) *a2a.ListTasksResponse {
	return &a2a.ListTasksResponse{
		Tasks:         list(r.GetTasks(), toTask),
		TotalSize:     int(r.GetTotalSize()),
		PageSize:      int(r.GetPageSize()),
		NextPageToken: r.GetNextPageToken(),
	}
}

func fromTasks(r *a2a.ListTasksResponse) *pb.ListTasksResponse {
	if r == nil {
		return nil
	}
	return &pb.ListTasksResponse{
		Tasks:         list(r.Tasks, fromTask),
		TotalSize:     int32Of(r.TotalSize),
		PageSize:      int32Of(r.PageSize),
		NextPageToken: r.NextPageToken,
	}
}
