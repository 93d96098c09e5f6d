package refagent

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/a2awire/a2awire/binding"
)

func listTasks(t testing.TB, a binding.Agent, r *pb.ListTasksRequest) *pb.ListTasksResponse {
	t.Helper()
	resp, err := a.ListTasks(t.Context(), nil, r)
	require.NoError(t, err)
	return resp
}

// pages are all tasks' ids, page by page.
func pages(t testing.TB, a binding.Agent, r *pb.ListTasksRequest, between func(page int)) []string {
	t.Helper()
	var out []string
	for page := 0; ; page++ {
		resp := listTasks(t, a, r)
		assert.LessOrEqual(t, len(resp.GetTasks()), int(resp.GetPageSize()))
		out = append(out, ids(resp)...)
		if r.PageToken = resp.GetNextPageToken(); r.PageToken == "" {
			return out
		}
		assert.Len(t, resp.GetTasks(), int(resp.GetPageSize()), "only the last page is short")
		if between != nil {
			between(page)
		}
	}
}

func ids(resp *pb.ListTasksResponse) []string {
	var out []string
	for _, task := range resp.GetTasks() {
		out = append(out, task.GetId())
	}
	return out
}

func TestListTasks_3_1_4_Empty(t *testing.T) {
	resp := listTasks(t, newAgent(t, nil), &pb.ListTasksRequest{})
	assert.Empty(t, resp.GetTasks())
	assert.Equal(t, int32(50), resp.GetPageSize())
	assert.Zero(t, resp.GetTotalSize())
	assert.Empty(t, resp.GetNextPageToken())
}

func TestListTasks_3_1_4_NewestStatusFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(t, nil)
		first := send(t, a, say("input")).GetId()
		time.Sleep(time.Second)
		second := send(t, a, say("input")).GetId()
		assert.Equal(t, []string{second, first}, ids(listTasks(t, a, &pb.ListTasksRequest{})))
		time.Sleep(time.Second)
		cancel(t, a, first)
		assert.Equal(t, []string{first, second}, ids(listTasks(t, a, &pb.ListTasksRequest{})))
	})
}

func TestListTasks_3_1_4_PagesWithTiesGiveEachTaskOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // all at one instant
		a := newAgent(t, nil)
		var want []string
		for range 23 {
			want = append(want, send(t, a, say("x")).GetId())
		}
		slices.Reverse(want)
		for _, size := range []int32{1, 5, 22, 23, 24, 100} {
			assert.Equal(t, want, pages(t, a, &pb.ListTasksRequest{PageSize: &size}, nil), "pageSize %d", size)
		}
		assert.Equal(t, int32(23), listTasks(t, a, &pb.ListTasksRequest{PageSize: proto.Int32(2)}).GetTotalSize())
	})
}

func TestListTasks_3_1_4_PagesWhileTasksChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(t, nil)
		var all []string
		for range 30 {
			all = append(all, send(t, a, say("input")).GetId())
			time.Sleep(time.Millisecond)
		}
		slices.Reverse(all)
		got := pages(t, a, &pb.ListTasksRequest{PageSize: proto.Int32(10)}, func(page int) {
			send(t, a, say("new"))
			cancel(t, a, all[page]) // seen already
			if page == 0 {
				cancel(t, a, all[15]) // not seen yet
			}
		})
		want := slices.Delete(slices.Clone(all), 15, 16)
		assert.Equal(t, want, got, "none twice, each that did not change once")
	})
}

func TestListTasks_3_1_4_Filters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(t, nil)
		var log []*pb.Task
		for i := range 12 {
			r := say([]string{"x", "input", "fail"}[i%3])
			r.Message.ContextId = []string{"c0", "c1"}[i%2]
			log = append(log, send(t, a, r))
			time.Sleep(time.Second)
		}
		for _, context := range []string{"", "c0", "c1", "none"} {
			for _, status := range []pb.TaskState{0, 3, 4, 6, 2} {
				for _, after := range []int{-1, 0, 5, 11, 12} {
					var want []string
					r := &pb.ListTasksRequest{ContextId: context, Status: status, PageSize: proto.Int32(2)}
					for i, task := range log {
						if (context == "" || task.GetContextId() == context) && (status == 0 || task.GetStatus().GetState() == status) && i >= after {
							want = append(want, task.GetId())
						}
					}
					slices.Reverse(want)
					if after >= 0 {
						r.StatusTimestampAfter = timestamppb.New(log[0].GetStatus().GetTimestamp().AsTime().Add(time.Duration(after) * time.Second))
					}
					name := fmt.Sprintf("%q %v %d", context, status, after)
					assert.Equal(t, int32(len(want)), listTasks(t, a, r).GetTotalSize(), name)
					assert.Equal(t, want, pages(t, a, r, nil), name)
				}
			}
		}
	})
}

func TestListTasks_3_1_4_TimestampsBetweenMilliseconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(t, nil)
		at := send(t, a, say("x")).GetStatus().GetTimestamp().AsTime()
		for offset, want := range map[time.Duration]int32{
			0: 1, 1: 0, -1: 1, time.Millisecond: 0, -time.Millisecond: 1,
		} {
			r := &pb.ListTasksRequest{StatusTimestampAfter: timestamppb.New(at.Add(offset))}
			assert.Equal(t, want, listTasks(t, a, r).GetTotalSize(), offset)
		}
		for year, want := range map[int]int32{1: 1, 9999: 0} {
			r := &pb.ListTasksRequest{StatusTimestampAfter: timestamppb.New(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC))}
			assert.Equal(t, want, listTasks(t, a, r).GetTotalSize(), year)
		}
	})
}

func TestListTasks_3_1_4_ArtifactsAndHistory(t *testing.T) {
	a := newAgent(t, nil)
	send(t, a, say("x"))
	task := func(r *pb.ListTasksRequest) *pb.Task { return listTasks(t, a, r).GetTasks()[0] }
	assert.Nil(t, task(&pb.ListTasksRequest{}).Artifacts)
	assert.Nil(t, task(&pb.ListTasksRequest{IncludeArtifacts: proto.Bool(false)}).Artifacts)
	assert.Len(t, task(&pb.ListTasksRequest{IncludeArtifacts: proto.Bool(true)}).Artifacts, 1)
	assert.Len(t, task(&pb.ListTasksRequest{}).History, 1)
	assert.Nil(t, task(&pb.ListTasksRequest{HistoryLength: proto.Int32(0)}).History)
}

func TestListTasks_3_1_4_Refuses(t *testing.T) {
	a := newAgent(t, nil)
	send(t, a, say("x"))
	send(t, a, say("x"))
	token := listTasks(t, a, &pb.ListTasksRequest{PageSize: proto.Int32(1)}).GetNextPageToken()
	for name, r := range map[string]*pb.ListTasksRequest{
		"pageSize":             {PageSize: proto.Int32(0)},
		"pageSize ":            {PageSize: proto.Int32(101)},
		"historyLength":        {HistoryLength: proto.Int32(-1)},
		"statusTimestampAfter": {StatusTimestampAfter: &timestamppb.Timestamp{Nanos: -1}},
		"pageToken":            {PageToken: "garbage!"},
		"pageToken ":           {PageToken: "AAAA" + token[4:len(token)-4] + "____"},
		"pageToken  ":          {PageToken: token, ContextId: "another list"},
		"pageToken   ":         {PageToken: token, Tenant: "another tenant"},
	} {
		_, err := a.ListTasks(t.Context(), nil, r)
		require.ErrorIs(t, err, binding.ErrInvalidParams, name)
		field := strings.TrimSpace(name)
		assert.Contains(t, err.Error(), field+":")
	}
}

func TestListTasks_3_1_4_FindsTasksByTheStatusItShows(t *testing.T) {
	a := newAgent(t, nil)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				_, _ = a.SendMessage(t.Context(), nil, say("stream 1"))
			}
		})
	}
	for range 100 {
		resp := listTasks(t, a, &pb.ListTasksRequest{Status: pb.TaskState_TASK_STATE_WORKING, IncludeArtifacts: proto.Bool(true)})
		for _, task := range resp.GetTasks() {
			require.Equal(t, "WORKING", stateOf(task))
		}
		all := listTasks(t, a, &pb.ListTasksRequest{}).GetTasks()
		require.True(t, slices.IsSortedFunc(all, func(x, y *pb.Task) int {
			return y.GetStatus().GetTimestamp().AsTime().Compare(x.GetStatus().GetTimestamp().AsTime())
		}))
	}
	wg.Wait()
}
