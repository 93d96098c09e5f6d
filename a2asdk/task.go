package a2asdk

import (
	"github.com/a2aproject/a2a-go/v2/a2a"
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
)

func toTask(t *pb.Task) *a2a.Task {
	if t == nil {
		return nil
	}
	return &a2a.Task{
		ID:        a2a.TaskID(t.GetId()),
		ContextID: t.GetContextId(),
		Status:    toStatus(t.GetStatus()),
		Artifacts: list(t.GetArtifacts(), toArtifact),
		History:   list(t.GetHistory(), toMessage),
		Metadata:  toMap(t.GetMetadata()),
	}
}

func fromTask(t *a2a.Task) *pb.Task {
	if t == nil {
		return nil
	}
	return &pb.Task{
		Id:        string(t.ID),
		ContextId: t.ContextID,
		Status:    fromStatus(t.Status),
		Artifacts: list(t.Artifacts, fromArtifact),
		History:   list(t.History, fromMessage),
		Metadata:  fromMap(t.Metadata),
	}
}

func toStatus(s *pb.TaskStatus) a2a.TaskStatus {
	return a2a.TaskStatus{
		State:     a2a.TaskState(toEnum(s.GetState())),
		Message:   toMessage(s.GetMessage()),
		Timestamp: toTime(s.GetTimestamp()),
	}
}

func fromStatus(s a2a.TaskStatus) *pb.TaskStatus {
	return &pb.TaskStatus{
		State:     fromState(s.State),
		Message:   fromMessage(s.Message),
		Timestamp: fromTime(s.Timestamp),
	}
}

func fromState(s a2a.TaskState) pb.TaskState {
	return pb.TaskState(fromEnum(string(s), pb.TaskState_value))
}

func toArtifact(a *pb.Artifact) *a2a.Artifact {
	if a == nil {
		return nil
	}
	return &a2a.Artifact{
		ID:          a2a.ArtifactID(a.GetArtifactId()),
		Name:        a.GetName(),
		Description: a.GetDescription(),
		Parts:       toParts(a.GetParts()),
		Metadata:    toMap(a.GetMetadata()),
		Extensions:  a.GetExtensions(),
	}
}

func fromArtifact(a *a2a.Artifact) *pb.Artifact {
	if a == nil {
		return nil
	}
	return &pb.Artifact{
		ArtifactId:  string(a.ID),
		Name:        a.Name,
		Description: a.Description,
		Parts:       fromParts(a.Parts),
		Metadata:    fromMap(a.Metadata),
		Extensions:  a.Extensions,
	}
}
