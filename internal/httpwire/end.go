package httpwire

import (
	"io"
	"net/http"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
)

// End tells a stream's end from a lost connection where HTTP does not: a body
// that ends with its connection. Such a stream is over when its last event
// says so: a message, or a task that is terminal or waits for its caller.
type End struct {
	unmarked bool
	over     bool
}

// NewEnd looks at how the body of an answer is marked.
func NewEnd(resp *http.Response) *End {
	chunked := len(resp.TransferEncoding) > 0
	return &End{unmarked: resp.ProtoMajor < 2 && !chunked && resp.ContentLength < 0}
}

// Saw takes note of an event.
func (e *End) Saw(p binding.Payload) {
	if !e.unmarked || p.IsZero() {
		return
	}
	m, err := p.Message()
	ev, ok := m.(*pb.StreamResponse)
	if err != nil || !ok {
		return
	}
	switch x := ev.GetPayload().(type) {
	case *pb.StreamResponse_Message:
		e.over = true
	case *pb.StreamResponse_Task:
		e.over = resting(x.Task.GetStatus().GetState())
	case *pb.StreamResponse_StatusUpdate:
		e.over = resting(x.StatusUpdate.GetStatus().GetState())
	}
}

func resting(s pb.TaskState) bool {
	switch s {
	case pb.TaskState_TASK_STATE_SUBMITTED, pb.TaskState_TASK_STATE_WORKING, pb.TaskState_TASK_STATE_UNSPECIFIED:
		return false
	}
	return true
}

// Err is io.EOF at a clean end, and io.ErrUnexpectedEOF where the connection was lost.
func (e *End) Err() error {
	if e.unmarked && !e.over {
		return io.ErrUnexpectedEOF
	}
	return io.EOF
}
