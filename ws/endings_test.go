package ws_test

import (
	"context"
	"iter"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/a2awire/a2awire/binding"
)

// How long a test waits for what it cannot be told of, and how often it looks.
const (
	patience = 20 * time.Second
	tick     = time.Millisecond
)

// endings is an agent whose streams begin and do not end, and whose GetTask of
// "wait" does not return, until their context ends; it says which did.
func endings(ended chan<- string) *agent {
	return &agent{
		stream: func(ctx context.Context, _ *binding.Call, _ *pb.SendMessageRequest) iter.Seq2[*pb.StreamResponse, error] {
			return func(yield func(*pb.StreamResponse, error) bool) {
				if yield(taskEvent("t-1"), nil) {
					<-ctx.Done()
				}
				ended <- "stream"
			}
		},
		get: func(ctx context.Context, _ *binding.Call, r *pb.GetTaskRequest) (*pb.Task, error) {
			if r.GetId() == "wait" {
				<-ctx.Done()
				ended <- "call"
				return nil, ctx.Err()
			}
			return task(r.GetId()), nil
		},
	}
}
