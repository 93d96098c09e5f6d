// The conversation with an agent that has neither streams, nor push
// notifications, nor an extended card, and requires an extension. The SDK's
// client asks no agent for what its card rules out, its transport does.

import {
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  ListTaskPushNotificationConfigsRequest,
  SubscribeToTaskRequest,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import { ServiceParameters, withA2AExtensions, withA2AVersion } from '@a2a-js/sdk/client';
import { hook, large, message } from './request.mjs';
import { drain, sent, step, within } from './report.mjs';

export async function strict(client) {
  const named = () =>
    within(ServiceParameters.create(withA2AVersion('1.0'), withA2AExtensions('https://ext.example/required')));
  const wire = client.transport;

  let task;
  await step('strict send', async () => {
    task = await client.sendMessage(message('echo hello'), named());
    return sent(task);
  });
  await step('strict large', () => client.sendMessage(message('echo ' + large), named()).then(sent));
  await step('strict unnamed', () => client.sendMessage(message('echo hello'), within()));
  await step('strict stream falls back', (events) => drain(events, client.sendMessageStream(message('echo hello'), named())));
  await step('strict stream', (events) => drain(events, wire.sendMessageStream(message('echo hello'), named())));
  await step('strict subscribe', (events) =>
    drain(events, wire.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id: task?.id }), named())));
  await step('strict card', () => wire.getExtendedAgentCard(GetExtendedAgentCardRequest.fromJSON({}), named()));

  const taskId = task?.id;
  const config = TaskPushNotificationConfig.fromJSON({ taskId, id: 'p', url: hook });
  await step('strict push by client', async () => client.createTaskPushNotificationConfig(config, named()));
  await step('strict push create', () => wire.createTaskPushNotificationConfig(config, named()));
  await step('strict push get', () =>
    wire.getTaskPushNotificationConfig(GetTaskPushNotificationConfigRequest.fromJSON({ taskId, id: 'p' }), named()));
  await step('strict push list', () =>
    wire.listTaskPushNotificationConfig(ListTaskPushNotificationConfigsRequest.fromJSON({ taskId }), named()));
  await step('strict push delete', () =>
    wire.deleteTaskPushNotificationConfig(DeleteTaskPushNotificationConfigRequest.fromJSON({ taskId, id: 'p' }), named()));
  await step('strict push inline', () =>
    client.sendMessage(message('echo hello', {
      configuration: { taskPushNotificationConfig: { url: hook } },
    }), named()).then(sent));
}
