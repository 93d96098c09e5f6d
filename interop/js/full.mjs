// The conversation with an agent that can do everything.

import { randomUUID } from 'node:crypto';
import {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import { AgentCardResolver, ServiceParameters, withA2AExtensions } from '@a2a-js/sdk/client';
import { bytes, hook, large, message, unicode } from './request.mjs';
import { drain, sent, step, within } from './report.mjs';

/** The errors of spec 3.3.2, and two that every binding has. */
const faults = [
  'TaskNotFoundError',
  'TaskNotCancelableError',
  'PushNotificationNotSupportedError',
  'UnsupportedOperationError',
  'ContentTypeNotSupportedError',
  'InvalidAgentResponseError',
  'ExtendedAgentCardNotConfiguredError',
  'ExtensionSupportRequiredError',
  'VersionNotSupportedError',
  'InvalidParamsError',
  'InternalError',
];

export async function full(client, url) {
  for (const part of [cards, sending, mirrors, turns, lists, cancelling, streams, pushing, errors]) {
    // What a part could not go on without is a step of its name.
    await part(client, url).catch((e) => step(part.name, () => Promise.reject(e)));
  }
}

const get = (client, fields) => client.getTask(GetTaskRequest.fromJSON(fields), within());
const cancel = (client, id) => client.cancelTask(CancelTaskRequest.fromJSON({ id }), within());

async function cards(client, url) {
  await step('card', async () => ({
    public: AgentCard.toJSON(AgentCard.fromJSON(await AgentCardResolver.default.resolve(url))),
    extended: AgentCard.toJSON(await client.getAgentCard(within())),
  }));
}

async function sending(client) {
  const send = (...args) => client.sendMessage(message(...args), within()).then(sent);
  await step('send echo', () => send('echo hello'));
  await step('send message', () => send('message hello'));
  await step('send unicode', () => send('echo ' + unicode));
  await step('send large', () => send('echo ' + large));
  await step('send without history', () => send('echo hello', { configuration: { historyLength: 0 } }));
  await step('fail', () => send('fail'));
  await step('reject', () => send('reject'));
}

async function mirrors(client) {
  const mirror = (parts, request, params) =>
    client.sendMessage(message([{ text: 'mirror' }, ...parts], request), within(params)).then(sent);
  await step('mirror raw', () => mirror([{ raw: bytes, mediaType: 'application/octet-stream' }]));
  await step('mirror data', () => mirror([{ data: { list: [1, 2.5, null, true, 'x', { deep: {} }] } }]));
  await step('mirror metadata', () => mirror([], { metadata: { 'https://ext.example/k': ['a', 1] } }));
  await step('mirror tenant', () => mirror([], { tenant: 'acme' }));
  await step('mirror extensions', () =>
    mirror([], {}, ServiceParameters.create(withA2AExtensions('https://ext.example/geo', 'https://ext.example/cite'))));
}

async function turns(client) {
  for (const wait of ['input', 'auth']) {
    let task;
    await step(wait, async () => {
      task = await client.sendMessage(message(wait), within());
      return sent(task);
    });
    const { id: taskId, contextId } = task ?? {};
    await step(wait + ' answer', () =>
      client.sendMessage(message('more', { message: { taskId, contextId } }), within()).then(sent));
    if (wait === 'auth') return;
    for (const [name, fields] of [['all', {}], ['one', { historyLength: 1 }], ['none', { historyLength: 0 }]]) {
      await step('history ' + name, async () => Task.toJSON(await get(client, { id: taskId, ...fields })));
    }
  }
}

async function lists(client) {
  const contextId = 'context-' + randomUUID();
  let last;
  for (const text of ['echo one', 'echo two']) {
    last = await client.sendMessage(message(text, { message: { contextId } }), within());
  }
  const list = (fields) => client.listTasks(ListTasksRequest.fromJSON({ contextId, ...fields }), within());
  let pageToken;
  await step('get', async () => Task.toJSON(await get(client, { id: last.id })));
  await step('get unknown', () => get(client, { id: 'no such task' }));
  await step('list', async () => ListTasksResponse.toJSON(await list({ includeArtifacts: true })));
  await step('list page one', async () => {
    const page = await list({ pageSize: 1 });
    pageToken = page.nextPageToken;
    return ListTasksResponse.toJSON(page);
  });
  await step('list page two', async () => ListTasksResponse.toJSON(await list({ pageSize: 1, pageToken })));
  await step('list by status', async () => ListTasksResponse.toJSON(await list({ status: 'TASK_STATE_FAILED' })));
  await step('list too many', () => list({ pageSize: 1000 }));
  await step('cancel finished', () => cancel(client, last.id));
  await step('subscribe finished', (events) =>
    drain(events, client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id: last.id }), within())));
}

async function cancelling(client) {
  let task;
  await step('send and return', async () => {
    task = await client.sendMessage(message('long 60', { configuration: { returnImmediately: true } }), within());
    return sent(task);
  });
  let canceled;
  await step('subscribe', (events) =>
    drain(events, client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id: task.id }), within()), async (_, n) => {
      if (n === 1) canceled = await cancel(client, task.id);
    }));
  await step('cancel', async () => ({ task: Task.toJSON(canceled) }));
  await step('cancel unknown', () => cancel(client, 'no such task'));
  await step('subscribe unknown', (events) =>
    drain(events, client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id: 'no such task' }), within())));
}

async function streams(client) {
  const stream = (text) => client.sendMessageStream(message(text), within());
  await step('stream', (events) => drain(events, stream('stream 3')));
  await step('stream message', (events) => drain(events, stream('message hello')));
  await step('stream large', (events) => drain(events, stream('echo ' + large)));
  let id;
  await step('stream left', (events) =>
    drain(events, stream('long 60'), (event, n) => {
      if (n === 1) id = event.payload.value.id;
      return n === 2 ? 'leave' : undefined;
    }));
  await step('stream left goes on', async () => Task.toJSON(await get(client, { id })));
  await cancel(client, id).catch(() => {});
}

async function pushing(client) {
  const task = await client.sendMessage(message('input'), within());
  const taskId = task.id;
  const config = { taskId, id: 'push 1/2', url: hook, token: 'secret', authentication: { scheme: 'Bearer', credentials: 'abc' } };
  const create = (fields) =>
    client.createTaskPushNotificationConfig(TaskPushNotificationConfig.fromJSON(fields), within());
  const getConfig = () =>
    client.getTaskPushNotificationConfig(GetTaskPushNotificationConfigRequest.fromJSON({ taskId, id: config.id }), within());
  const list = async () =>
    ListTaskPushNotificationConfigsResponse.toJSON(
      await client.listTaskPushNotificationConfig(ListTaskPushNotificationConfigsRequest.fromJSON({ taskId }), within()));
  await step('push create', async () => TaskPushNotificationConfig.toJSON(await create(config)));
  await step('push get', async () => TaskPushNotificationConfig.toJSON(await getConfig()));
  await step('push list', list);
  await step('push delete', async () => {
    const remove = DeleteTaskPushNotificationConfigRequest.fromJSON({ taskId, id: config.id });
    await client.deleteTaskPushNotificationConfig(remove, within());
    await client.deleteTaskPushNotificationConfig(remove, within());
  });
  await step('push list deleted', list);
  await step('push get deleted', getConfig);
  await step('push unknown', () => create({ ...config, taskId: 'no such task' }));
  await step('push inline', () =>
    client.sendMessage(message('echo pushed', {
      configuration: { taskPushNotificationConfig: { id: 'inline', url: hook, token: 'inline-token' } },
    }), within()).then(sent));
}

async function errors(client) {
  for (const name of faults) {
    await step('error ' + name, () => client.sendMessage(message('error ' + name), within()));
  }
  for (const name of ['InternalError', 'UnsupportedOperationError']) {
    await step('error in stream ' + name, (events) =>
      drain(events, client.sendMessageStream(message(`error-after 2 ${name}`), within())));
  }
  await step('error before stream', (events) =>
    drain(events, client.sendMessageStream(message('error TaskNotFoundError'), within())));
  await step('missing messageId', () => client.sendMessage(message('echo', { message: { messageId: '' } }), within()));
  await step('missing parts', () => client.sendMessage(message([]), within()));
  // The client sets the version itself; its transport does not.
  await step('version', () => client.transport.sendMessage(message('echo'), within({ 'A2A-Version': '9.9' })));
}
