package refagent

import (
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
)

const hookURL = "https://hook.example/n"

func create(t testing.TB, a binding.Agent, c *pb.TaskPushNotificationConfig) *pb.TaskPushNotificationConfig {
	t.Helper()
	got, err := a.CreateTaskPushNotificationConfig(t.Context(), nil, c)
	require.NoError(t, err)
	return got
}

func configs(t testing.TB, a binding.Agent, taskID string) []*pb.TaskPushNotificationConfig {
	t.Helper()
	got, err := a.ListTaskPushNotificationConfigs(t.Context(), nil, &pb.ListTaskPushNotificationConfigsRequest{TaskId: taskID})
	require.NoError(t, err)
	assert.Empty(t, got.GetNextPageToken())
	return got.GetConfigs()
}

func TestPushConfigs_3_1_7_CreateAssignsIDs(t *testing.T) {
	a := newAgent(t, nil)
	id := send(t, a, say("input")).GetId()
	asked := &pb.TaskPushNotificationConfig{
		TaskId: id, Url: hookURL, Token: "t",
		Authentication: &pb.AuthenticationInfo{Scheme: "bearer", Credentials: "s3cr3t"},
	}
	one := create(t, a, asked)
	two := create(t, a, &pb.TaskPushNotificationConfig{TaskId: id, Url: hookURL + "2"})
	assert.NotEmpty(t, one.GetId())
	assert.NotEqual(t, one.GetId(), two.GetId())
	assert.Empty(t, asked.GetId(), "the request is left alone")
	asked.Id = one.GetId()
	assert.True(t, proto.Equal(asked, one), "all else is as it was asked")
	assert.Len(t, configs(t, a, id), 2)
}

func TestPushConfigs_3_1_7_SameIDReplaces(t *testing.T) {
	a := newAgent(t, nil)
	id := send(t, a, say("input")).GetId()
	create(t, a, &pb.TaskPushNotificationConfig{TaskId: id, Id: "p1", Url: hookURL})
	create(t, a, &pb.TaskPushNotificationConfig{TaskId: id, Id: "p2", Url: hookURL})
	create(t, a, &pb.TaskPushNotificationConfig{TaskId: id, Id: "p1", Url: hookURL + "new"})
	got := configs(t, a, id)
	require.Len(t, got, 2)
	assert.Equal(t, []string{"p1", hookURL + "new", "p2"}, []string{got[0].GetId(), got[0].GetUrl(), got[1].GetId()})
}

func TestPushConfigs_3_1_8_Get(t *testing.T) {
	a := newAgent(t, nil)
	id := send(t, a, say("input")).GetId()
	want := create(t, a, &pb.TaskPushNotificationConfig{TaskId: id, Url: hookURL})
	got, err := a.GetTaskPushNotificationConfig(t.Context(), nil, &pb.GetTaskPushNotificationConfigRequest{TaskId: id, Id: want.GetId()})
	require.NoError(t, err)
	assert.True(t, proto.Equal(want, got))
	for _, r := range []*pb.GetTaskPushNotificationConfigRequest{{TaskId: id, Id: "nope"}, {TaskId: "nope", Id: want.GetId()}} {
		_, err = a.GetTaskPushNotificationConfig(t.Context(), nil, r)
		require.ErrorIs(t, err, binding.ErrTaskNotFound)
	}
}

func TestPushConfigs_3_1_9_ListPages(t *testing.T) {
	a := newAgent(t, nil)
	id := send(t, a, say("input")).GetId()
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		create(t, a, &pb.TaskPushNotificationConfig{TaskId: id, Id: name, Url: hookURL})
	}
	for size, want := range map[int32][]string{1: {"a", "b", "c", "d", "e"}, 2: {"ab", "cd", "e"}, 5: {"abcde"}, 9: {"abcde"}} {
		r := &pb.ListTaskPushNotificationConfigsRequest{TaskId: id, PageSize: size}
		var got []string
		for {
			resp, err := a.ListTaskPushNotificationConfigs(t.Context(), nil, r)
			require.NoError(t, err)
			page := ""
			for _, c := range resp.GetConfigs() {
				page += c.GetId()
			}
			got = append(got, page)
			if r.PageToken = resp.GetNextPageToken(); r.PageToken == "" {
				break
			}
		}
		assert.Equal(t, want, got)
	}
	for _, r := range []*pb.ListTaskPushNotificationConfigsRequest{{TaskId: id, PageToken: "x"}, {TaskId: id, PageSize: -1}} {
		_, err := a.ListTaskPushNotificationConfigs(t.Context(), nil, r)
		require.ErrorIs(t, err, binding.ErrInvalidParams)
	}
	_, err := a.ListTaskPushNotificationConfigs(t.Context(), nil, &pb.ListTaskPushNotificationConfigsRequest{TaskId: "nope"})
	require.ErrorIs(t, err, binding.ErrTaskNotFound)
}

func TestPushConfigs_3_1_10_DeleteIsIdempotent(t *testing.T) {
	a := newAgent(t, nil)
	id := send(t, a, say("input")).GetId()
	create(t, a, &pb.TaskPushNotificationConfig{TaskId: id, Id: "p", Url: hookURL})
	for range 2 {
		_, err := a.DeleteTaskPushNotificationConfig(t.Context(), nil, &pb.DeleteTaskPushNotificationConfigRequest{TaskId: id, Id: "p"})
		require.NoError(t, err)
		assert.Empty(t, configs(t, a, id))
	}
	_, err := a.DeleteTaskPushNotificationConfig(t.Context(), nil, &pb.DeleteTaskPushNotificationConfigRequest{TaskId: "nope", Id: "p"})
	require.ErrorIs(t, err, binding.ErrTaskNotFound)
}

func TestPushConfigs_13_2_AddressesAreChecked(t *testing.T) {
	a := newAgent(t, nil)
	id := send(t, a, say("input")).GetId()
	token := func(c *pb.TaskPushNotificationConfig) { c.Token = "a\r\nb" }
	auth := func(scheme, credentials string) func(*pb.TaskPushNotificationConfig) {
		return func(c *pb.TaskPushNotificationConfig) {
			c.Authentication = &pb.AuthenticationInfo{Scheme: scheme, Credentials: credentials}
		}
	}
	for _, c := range []struct {
		url, field string
		edit       func(*pb.TaskPushNotificationConfig)
	}{
		{"", "url", nil}, {"hook", "url", nil}, {"ftp://hook.example", "url", nil}, {"http://", "url", nil}, {"http://a b", "url", nil},
		{"https://user:pw@hook.example", "url", nil}, {"http://localhost:1", "url", nil}, {"http://x.LOCALHOST./", "url", nil},
		{"http://127.0.0.1", "url", nil}, {"http://[::1]:80/x", "url", nil}, {"http://10.1.2.3", "url", nil},
		{"http://169.254.169.254/latest", "url", nil}, {"http://[::ffff:192.168.0.1]", "url", nil}, {"http://[fe80::1%25eth0]", "url", nil},
		{hookURL, "token", token}, {hookURL, "authentication.scheme", auth("", "x")}, {hookURL, "authentication.scheme", auth("Be arer", "x")},
		{hookURL, "authentication.credentials", auth("Bearer", "x\ny")},
	} {
		config := &pb.TaskPushNotificationConfig{TaskId: id, Url: c.url}
		if c.edit != nil {
			c.edit(config)
		}
		_, err := a.CreateTaskPushNotificationConfig(t.Context(), nil, config)
		require.ErrorIs(t, err, binding.ErrInvalidParams, c.url)
		assert.Contains(t, err.Error(), c.field+": ")

		config.TaskId = ""
		r := say("x")
		r.Configuration = &pb.SendMessageConfiguration{TaskPushNotificationConfig: config}
		assert.Contains(t, sendFails(t, a, r).Text(), "configuration.taskPushNotificationConfig."+c.field+": ")
	}
	assert.Empty(t, configs(t, a, id))
	assert.Len(t, a.store.tasks, 1, "a refused message makes no task")
	open := newAgent(t, &Options{AllowPrivateWebhooks: true})
	id = send(t, open, say("x")).GetId()
	create(t, open, &pb.TaskPushNotificationConfig{TaskId: id, Url: "http://127.0.0.1:1"})
}

func TestPushConfigs_3_2_2_InlineConfigIsKept(t *testing.T) {
	a := newAgent(t, nil)
	r := say("input")
	r.Configuration = &pb.SendMessageConfiguration{TaskPushNotificationConfig: &pb.TaskPushNotificationConfig{Id: "mine", Url: hookURL}}
	task := send(t, a, r)
	got := configs(t, a, task.GetId())
	require.Len(t, got, 1)
	assert.Equal(t, []string{"mine", task.GetId(), hookURL}, []string{got[0].GetId(), got[0].GetTaskId(), got[0].GetUrl()})

	r = say("x")
	r.Configuration = &pb.SendMessageConfiguration{TaskPushNotificationConfig: &pb.TaskPushNotificationConfig{TaskId: "another", Url: hookURL}}
	assert.Contains(t, sendFails(t, a, r).Text(), "configuration.taskPushNotificationConfig.taskId: ")
}
