package a2asdk

import (
	"github.com/a2aproject/a2a-go/v2/a2a"
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
)

// toResult is nil for an answer that is none.
func toResult(r *pb.SendMessageResponse) a2a.SendMessageResult {
	switch p := r.GetPayload().(type) {
	case *pb.SendMessageResponse_Task:
		return toTask(p.Task)
	case *pb.SendMessageResponse_Message:
		return toMessage(p.Message)
	}
	return nil
}

// fromResult is nil for an answer that is none.
func fromResult(r a2a.SendMessageResult) *pb.SendMessageResponse {
	switch r := r.(type) {
	case *a2a.Task:
		if r != nil {
			return &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Task{Task: fromTask(r)}}
		}
	case *a2a.Message:
		if r != nil {
			return &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Message{Message: fromMessage(r)}}
		}
	}
	return nil
}

// toEvent is nil for an event that is none.
func toEvent(ev *pb.StreamResponse) a2a.Event {
	switch p := ev.GetPayload().(type) {
	case *pb.StreamResponse_Task:
		return toTask(p.Task)
	case *pb.StreamResponse_Message:
		return toMessage(p.Message)
	case *pb.StreamResponse_StatusUpdate:
		return &a2a.TaskStatusUpdateEvent{
			TaskID:    a2a.TaskID(p.StatusUpdate.GetTaskId()),
			ContextID: p.StatusUpdate.GetContextId(),
			Status:    toStatus(p.StatusUpdate.GetStatus()),
			Metadata:  toMap(p.StatusUpdate.GetMetadata()),
		}
	case *pb.StreamResponse_ArtifactUpdate:
		return &a2a.TaskArtifactUpdateEvent{
			TaskID:    a2a.TaskID(p.ArtifactUpdate.GetTaskId()),
			ContextID: p.ArtifactUpdate.GetContextId(),
			Artifact:  toArtifact(p.ArtifactUpdate.GetArtifact()),
			Append:    p.ArtifactUpdate.GetAppend(),
			LastChunk: p.ArtifactUpdate.GetLastChunk(),
			Metadata:  toMap(p.ArtifactUpdate.GetMetadata()),
		}
	}
	return nil
}

// fromEvent is nil for an event that is none.
func fromEvent(ev a2a.Event) *pb.StreamResponse {
	switch ev := ev.(type) {
	case *a2a.Task:
		if ev != nil {
			return &pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: fromTask(ev)}}
		}
	case *a2a.Message:
		if ev != nil {
			return &pb.StreamResponse{Payload: &pb.StreamResponse_Message{Message: fromMessage(ev)}}
		}
	case *a2a.TaskStatusUpdateEvent:
		if ev != nil {
			return &pb.StreamResponse{Payload: &pb.StreamResponse_StatusUpdate{StatusUpdate: &pb.TaskStatusUpdateEvent{
				TaskId:    string(ev.TaskID),
				ContextId: ev.ContextID,
				Status:    fromStatus(ev.Status),
				Metadata:  fromMap(ev.Metadata),
			}}}
		}
	case *a2a.TaskArtifactUpdateEvent:
		if ev != nil {
			return &pb.StreamResponse{Payload: &pb.StreamResponse_ArtifactUpdate{ArtifactUpdate: &pb.TaskArtifactUpdateEvent{
				TaskId:    string(ev.TaskID),
				ContextId: ev.ContextID,
				Artifact:  fromArtifact(ev.Artifact),
				Append:    ev.Append,
				LastChunk: ev.LastChunk,
				Metadata:  fromMap(ev.Metadata),
			}}}
		}
	}
	return nil
}
