package rest

import (
	"testing"
	"time"
	"unicode/utf8"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/a2awire/a2awire/binding"
)

func TestAppendQuery(t *testing.T) {
	for _, tc := range []struct {
		op   *binding.Op
		req  proto.Message
		want string
	}{
		{binding.OpGetTask, &pb.GetTaskRequest{Id: "t1"}, ""},
		{binding.OpGetTask, &pb.GetTaskRequest{Id: "t1", HistoryLength: proto.Int32(0)}, "historyLength=0"},
		{binding.OpListTasks, &pb.ListTasksRequest{}, ""},
		{
			binding.OpListTasks,
			&pb.ListTasksRequest{
				Tenant: "acme", ContextId: "a b&c=ü+", Status: pb.TaskState_TASK_STATE_WORKING, PageSize: proto.Int32(2), PageToken: "p/1",
				HistoryLength: proto.Int32(0), IncludeArtifacts: proto.Bool(false),
				StatusTimestampAfter: timestamppb.New(time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)),
			},
			"contextId=a%20b%26c%3D%C3%BC%2B&status=TASK_STATE_WORKING&pageSize=2&pageToken=p%2F1&historyLength=0" +
				"&statusTimestampAfter=2026-01-02T03%3A04%3A05.006Z&includeArtifacts=false",
		},
		{
			binding.OpListTaskPushNotificationConfigs,
			&pb.ListTaskPushNotificationConfigsRequest{TaskId: "t1", PageSize: 2, PageToken: "p1"},
			"pageSize=2&pageToken=p1",
		},
		{binding.OpDeleteTaskPushNotificationConfig, &pb.DeleteTaskPushNotificationConfigRequest{TaskId: "t1", Id: "c1"}, ""},
	} {
		assert.Equal(t, tc.want, string(byOp[tc.op].appendQuery(nil, tc.req.ProtoReflect())))
	}
}

// C29, D16.
func TestReadQuery(t *testing.T) {
	for _, tc := range []struct{ query, want string }{
		{"", `{}`},
		{"status=TASK_STATE_WORKING&pageSize=2&includeArtifacts=true", `{"status":"TASK_STATE_WORKING","pageSize":2,"includeArtifacts":true}`},
		{"status=2", `{"status":2}`},
		{"page_size=2", `{"pageSize":2}`},
		{"status_timestamp_after=2026-01-02T03:04:05%2B01:00", `{"statusTimestampAfter":"2026-01-02T03:04:05+01:00"}`},
		{"contextId=a%20b+c%2B", `{"contextId":"a b c+"}`},
		{"contextId=", `{"contextId":""}`},
		{"historyLength=0&includeArtifacts=false", `{"historyLength":0,"includeArtifacts":false}`},
		{"A2A-Version=1.0&utm=x&%zz=1&&", `{}`},
		{"tenant=acme", `{"tenant":"acme"}`},
	} {
		got, err := (&match{route: byOp[binding.OpListTasks]}).fromQuery(tc.query)
		require.NoError(t, err, tc.query)
		assert.Equal(t, tc.want, string(got), tc.query)
	}
}

func TestReadQueryRefuses(t *testing.T) {
	for _, tc := range []struct{ query, want string }{
		{"pageSize=abc", `pageSize: must be a whole number of 32 bits, got "abc"`},
		{"pageSize=", `pageSize: must be a whole number of 32 bits, got ""`},
		{"pageSize=1.0", `pageSize: must be a whole number of 32 bits, got "1.0"`},
		{"pageSize=%2B1", `pageSize: must be a whole number of 32 bits, got "+1"`},
		{"pageSize=4294967296", `pageSize: must be a whole number of 32 bits, got "4294967296"`},
		{"page_size=x", `pageSize: must be a whole number of 32 bits, got "x"`},
		{"includeArtifacts=True", `includeArtifacts: must be true or false, got "True"`},
		{"includeArtifacts=1", `includeArtifacts: must be true or false, got "1"`},
		{"pageSize=1&pageSize=1", `pageSize: is there twice`},
		{"pageSize=1&page_size=1", `pageSize: is there twice`},
		{"PageSize=1", `PageSize: is not the name of a parameter; it is spelt pageSize`},
		{"contextid=1", `contextid: is not the name of a parameter; it is spelt contextId`},
		{"contextId=%zz", `contextId: is not percent-encoded text`},
		{"contextId=%ff", `contextId: is not valid UTF-8`},
	} {
		_, err := (&match{route: byOp[binding.OpListTasks]}).fromQuery(tc.query)
		require.EqualError(t, err, tc.want, tc.query)
		require.ErrorIs(t, err, binding.ErrInvalidParams)
	}
}

// What is in the path may be in the query, if it is the same.
func TestReadQueryBesidePath(t *testing.T) {
	m := match{route: byOp[binding.OpGetTask], tenant: "acme", params: [maxParams]string{"t1"}}
	got, err := m.fromQuery("id=t1&tenant=acme&historyLength=3")
	require.NoError(t, err)
	assert.Equal(t, `{"tenant":"acme","id":"t1","historyLength":3}`, string(got))
	_, err = m.fromQuery("id=t2")
	require.EqualError(t, err, "id: is not what the path says")
	_, err = m.fromQuery("tenant=")
	require.EqualError(t, err, "tenant: is not what the path says")
}

func FuzzQuery(f *testing.F) {
	f.Add("ctx", int32(1), true, int64(0), "pageSize=1&status=working")
	f.Add("a&b=c%+ü", int32(-5), false, int64(1e15), "contextId=%ff&=&&;")
	f.Fuzz(func(t *testing.T, text string, n int32, yes bool, nanos int64, query string) {
		rt := byOp[binding.OpListTasks]
		if utf8.ValidString(text) {
			req := &pb.ListTasksRequest{
				ContextId: text, PageToken: text, PageSize: &n, IncludeArtifacts: &yes,
				Status: pb.TaskState_TASK_STATE_REJECTED, StatusTimestampAfter: timestamppb.New(time.Unix(0, nanos)),
			}
			got, err := (&match{route: rt}).fromQuery(string(rt.appendQuery(nil, req.ProtoReflect())))
			require.NoError(t, err)
			back, err := rt.op.RequestJSON(got).Message()
			require.NoError(t, err)
			require.True(t, proto.Equal(req, back), "%v became %v", req, back)
		}
		if got, err := (&match{route: rt}).fromQuery(query); err == nil {
			if _, err := rt.op.RequestJSON(got).Message(); err != nil {
				assert.ErrorContains(t, err, ":", "%s: %s names no field", query, got)
			}
		}
	})
}
