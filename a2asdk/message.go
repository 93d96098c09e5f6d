package a2asdk

import (
	"github.com/a2aproject/a2a-go/v2/a2a"
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"
)

func toMessage(m *pb.Message) *a2a.Message {
	if m == nil {
		return nil
	}
	return &a2a.Message{
		ID:             m.GetMessageId(),
		ContextID:      m.GetContextId(),
		TaskID:         a2a.TaskID(m.GetTaskId()),
		Role:           a2a.MessageRole(toEnum(m.GetRole())),
		Parts:          toParts(m.GetParts()),
		Metadata:       toMap(m.GetMetadata()),
		Extensions:     m.GetExtensions(),
		ReferenceTasks: stringsOf[a2a.TaskID](m.GetReferenceTaskIds()),
	}
}

func fromMessage(m *a2a.Message) *pb.Message {
	if m == nil {
		return nil
	}
	return &pb.Message{
		MessageId:        m.ID,
		ContextId:        m.ContextID,
		TaskId:           string(m.TaskID),
		Role:             pb.Role(fromEnum(string(m.Role), pb.Role_value)),
		Parts:            fromParts(m.Parts),
		Metadata:         fromMap(m.Metadata),
		Extensions:       m.Extensions,
		ReferenceTaskIds: stringsOf[string](m.ReferenceTasks),
	}
}

func toParts(ps []*pb.Part) a2a.ContentParts { return list(ps, toPart) }

func fromParts(ps a2a.ContentParts) []*pb.Part { return list(ps, fromPart) }

func toPart(p *pb.Part) *a2a.Part {
	out := &a2a.Part{
		Filename:  p.GetFilename(),
		MediaType: p.GetMediaType(),
		Metadata:  toMap(p.GetMetadata()),
	}
	switch c := p.GetContent().(type) {
	case *pb.Part_Text:
		out.Content = a2a.Text(c.Text)
	case *pb.Part_Raw:
		out.Content = a2a.Raw(c.Raw)
	case *pb.Part_Url:
		out.Content = a2a.URL(c.Url)
	case *pb.Part_Data:
		out.Content = a2a.Data{Value: c.Data.AsInterface()}
	}
	return out
}

func fromPart(p *a2a.Part) *pb.Part {
	if p == nil {
		return &pb.Part{}
	}
	out := &pb.Part{
		Filename:  p.Filename,
		MediaType: p.MediaType,
		Metadata:  fromMap(p.Metadata),
	}
	switch c := p.Content.(type) {
	case a2a.Text:
		out.Content = &pb.Part_Text{Text: string(c)}
	case a2a.Raw:
		out.Content = &pb.Part_Raw{Raw: c}
	case a2a.URL:
		out.Content = &pb.Part_Url{Url: string(c)}
	case a2a.Data:
		out.Content = &pb.Part_Data{Data: dataOf(c)}
	}
	return out
}

func dataOf(d a2a.Data) *structpb.Value { return fromValue(d.Value, 0) }
