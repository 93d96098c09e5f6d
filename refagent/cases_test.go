package refagent

import (
	"testing"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/a2awire/a2awire/binding"
)

// A task that has ended takes no message and no subscriber, however it ended
// and whatever ran it is long gone.
func TestEndedTasks_3_1_1_RefuseWhatComes(t *testing.T) {
	a := newAgent(t, nil)
	canceled := send(t, a, say("input"))
	cancel(t, a, canceled.GetId())
	ended := map[string]*pb.Task{"CANCELED": canceled}
	for state, text := range map[string]string{"COMPLETED": "echo", "FAILED": "fail", "REJECTED": "reject"} {
		ended[state] = send(t, a, say(text))
	}
	a.wg.Wait() // nothing runs any more: the store alone knows them
	for state, task := range ended {
		assert.Equal(t, state, stateOf(get(t, a, task.GetId())))
		assert.Equal(t, binding.UnsupportedOperation, sendFails(t, a, reply(task, "more")).Code, state)
		_, err := collect(a.SendStreamingMessage(t.Context(), nil, reply(task, "more")))
		require.ErrorIs(t, err, binding.ErrUnsupportedOperation, state)
		_, err = collect(a.SubscribeToTask(t.Context(), nil, &pb.SubscribeToTaskRequest{Id: task.GetId()}))
		require.ErrorIs(t, err, binding.ErrUnsupportedOperation, state)
	}
}

// What a webhook's configuration says of authentication goes out as it is.
func TestWebhook_4_3_3_AnyScheme(t *testing.T) {
	hook := newReceiver(t)
	a := newAgent(t, &Options{AllowPrivateWebhooks: true})
	for scheme, credentials := range map[string]string{"Basic": "dXNlcjpwdw==", "bearer": "s3cr3t", "Custom": "a=b"} {
		task := send(t, a, say("input"))
		create(t, a, &pb.TaskPushNotificationConfig{TaskId: task.GetId(), Url: hook.URL, Authentication: &pb.AuthenticationInfo{Scheme: scheme, Credentials: credentials}})
		cancel(t, a, task.GetId())
		hook.next(1)
		assert.Equal(t, scheme+" "+credentials, (<-hook.headers).Get("Authorization"))
	}
}
