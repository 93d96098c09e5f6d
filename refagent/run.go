package refagent

import (
	"context"
	"strconv"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/a2awire/a2awire/binding"
)

// run is a command at work on a task. What it does reports whether the task
// goes on; a command returns when it does not.
type run struct {
	ctx    context.Context // ends with the task, or the agent
	task   *task
	req    *pb.SendMessageRequest
	params binding.Params
	text   string   // of the message's first text part
	args   []string // behind the command's word
}

// working says that the task works, if it does not say so already: a task that
// a message woke does.
func (r *run) working() bool {
	return r.task.state() == pb.TaskState_TASK_STATE_WORKING || r.set(pb.TaskState_TASK_STATE_WORKING, "")
}

func (r *run) completed() bool { return r.set(pb.TaskState_TASK_STATE_COMPLETED, "") }

func (r *run) set(state pb.TaskState, text string) bool {
	return r.ctx.Err() == nil && r.task.set(state, text)
}

func (r *run) wait(state pb.TaskState, text string, next *command) bool {
	return r.ctx.Err() == nil && r.task.wait(state, text, next)
}

// artifact gives the task a whole artifact of one part.
func (r *run) artifact(part *pb.Part) bool { return r.chunk(part, true, true) }

// chunk gives one part of an artifact that comes in several.
func (r *run) chunk(part *pb.Part, first, last bool) bool {
	a := &pb.Artifact{ArtifactId: r.task.artifactID(first), Parts: []*pb.Part{part}}
	return r.ctx.Err() == nil && r.task.add(a, !first, last)
}

// sleep waits and reports whether the task goes on.
func (r *run) sleep(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.ctx.Done():
		return false
	}
}

// artifactID is the id of a new artifact, or of the latest.
func (t *task) artifactID(fresh bool) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(t.artifacts)
	if fresh {
		n++
	}
	return "artifact-" + strconv.Itoa(n)
}

func textPart(s string) *pb.Part { return &pb.Part{Content: &pb.Part_Text{Text: s}} }

func dataPart(v *structpb.Value) *pb.Part { return &pb.Part{Content: &pb.Part_Data{Data: v}} }
