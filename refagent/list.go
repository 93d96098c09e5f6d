package refagent

import (
	"context"
	"fmt"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/a2awire/a2awire/binding"
)

// The page sizes of ListTasks.
const (
	defaultPageSize = 50
	maxPageSize     = 100
)

// ListTasks is spec 3.1.4. A page begins behind the last task of the one
// before it. A task that changes while a client pages moves to the front: no
// task comes twice, and each that did not change comes once. Tasks stand in
// the page with the status by which they were found.
func (a *Agent) ListTasks(ctx context.Context, call *binding.Call, req *pb.ListTasksRequest) (*pb.ListTasksResponse, error) {
	if err := a.begin(ctx, call, binding.OpListTasks); err != nil {
		return nil, err
	}
	if err := checkHistoryLength("historyLength", req.HistoryLength); err != nil {
		return nil, err
	}
	size := int32(defaultPageSize)
	if req.PageSize != nil {
		if size = *req.PageSize; size < 1 || size > maxPageSize {
			return nil, binding.InvalidField("pageSize", "must be between 1 and %d, got %d", maxPageSize, size)
		}
	}
	f := filter{req.GetTenant(), req.GetContextId(), req.GetStatus()}
	since := int64(oldest)
	if after := req.GetStatusTimestampAfter(); after != nil {
		if after.CheckValid() != nil {
			return nil, binding.InvalidField("statusTimestampAfter", "is a timestamp out of range")
		}
		since = ceilMilli(after)
	}
	query := fmt.Sprintf("%q %q %d %d", f.tenant, f.context, f.state, since)
	behind := first()
	if req.GetPageToken() != "" {
		var ok bool
		if behind, ok = parseToken(req.GetPageToken(), query); !ok {
			return nil, binding.InvalidField("pageToken", "is not a token of this list")
		}
	}
	page, total := a.store.list(f, since, behind, int(size)+1)
	resp := &pb.ListTasksResponse{Tasks: []*pb.Task{}, PageSize: size, TotalSize: int32(total)}
	if len(page) > int(size) {
		page = page[:size]
		resp.NextPageToken = newToken(page[size-1].key, query)
	}
	for _, e := range page {
		resp.Tasks = append(resp.Tasks, e.task.snapshot(view{
			historyLength: req.HistoryLength, noArtifacts: !req.GetIncludeArtifacts(), status: e.status,
		}))
	}
	return resp, nil
}

// ceilMilli is the first whole millisecond at or after a time: what tasks'
// timestamps can be.
func ceilMilli(ts *timestamppb.Timestamp) int64 {
	ms := ts.AsTime().UnixMilli()
	if ts.GetNanos()%1e6 != 0 {
		ms++
	}
	return ms
}
