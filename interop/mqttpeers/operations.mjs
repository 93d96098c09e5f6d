// Every operation with one answer, every error, and every envelope.

import { rpc } from './peer.mjs';
import { step } from './report.mjs';
import { faults, hook, large, say, start, taskIn, unicode } from './request.mjs';

export async function operations(peer) {
  await messages(peer);
  await ids(peer);
  await tasks(peer);
  await pushing(peer);
  await errors(peer);
  await envelopes(peer);
  await limits(peer);
}

async function messages(peer) {
  const send = (id, text, more) => peer.exchange(rpc(id, 'SendMessage', say(text)), more);
  await step('send', () => send('1', 'echo hello'));
  await step('send message', () => send('2', 'message hello'));
  await step('send unicode', () => send('3', 'echo ' + unicode));
  await step('send large', () => send('4', 'echo ' + large));
  await step('service parameters', () => send('5', 'mirror', {
    'A2A-Extensions': 'https://ext.example/geo, https://ext.example/none', 'X-Trace': 'Mixed Case', 'a2a-authorization': 'Bearer secret',
  }));
  await step('two turns', async () => {
    const asked = await send('6', 'input');
    const { id: taskId, contextId } = taskIn(asked);
    return [asked, await peer.exchange(rpc('7', 'SendMessage', say('blue', { message: { taskId, contextId } })))];
  });
}

/** Ids come back as they were written. */
async function ids(peer) {
  for (const id of ['1', '"1"', '"a b"', '"é\\u00e9"', '9007199254740993', '1.50', '-0', '""']) {
    await step('id ' + id, () => peer.exchange(rpc(id, 'SendMessage', say('message hello'))));
  }
}

async function tasks(peer) {
  const tenant = 'tasks-' + peer.name;
  let id;
  await step('send to get', async () => {
    const reply = await peer.exchange(rpc('1', 'SendMessage', say('echo kept', { tenant })));
    id = taskIn(reply).id;
    return reply;
  });
  await step('get', () => peer.exchange(rpc('2', 'GetTask', { id, tenant, historyLength: 0 })));
  await step('list', () => peer.exchange(rpc('3', 'ListTasks', { tenant, includeArtifacts: true })));
  await step('list nothing', () => peer.exchange(rpc('4', 'ListTasks', { tenant: 'nobody' })));
  await step('get unknown', () => peer.exchange(rpc('5', 'GetTask', { id: 'no such task' })));
  await step('cancel', async () => {
    const started = await peer.exchange(rpc('6', 'SendMessage', start('long 60')));
    return peer.exchange(rpc('7', 'CancelTask', { id: taskIn(started).id }));
  });
  await step('cancel again', () => peer.exchange(rpc('8', 'CancelTask', { id, tenant })));
  await step('extended card', () => peer.exchange(rpc('9', 'GetExtendedAgentCard', {})));
}

async function pushing(peer) {
  const taskId = taskIn(await peer.exchange(rpc('0', 'SendMessage', say('input')))).id;
  const config = { taskId, id: 'push 1/2', url: hook, token: 'secret' };
  const named = { taskId, id: config.id };
  await step('push create', () => peer.exchange(rpc('1', 'CreateTaskPushNotificationConfig', config)));
  await step('push get', () => peer.exchange(rpc('2', 'GetTaskPushNotificationConfig', named)));
  await step('push list', () => peer.exchange(rpc('3', 'ListTaskPushNotificationConfigs', { taskId })));
  await step('push delete', () => peer.exchange(rpc('4', 'DeleteTaskPushNotificationConfig', named)));
  await step('push get deleted', () => peer.exchange(rpc('5', 'GetTaskPushNotificationConfig', named)));
}

async function errors(peer) {
  for (const name of faults) {
    await step('error ' + name, () => peer.exchange(rpc('"e"', 'SendMessage', say('error ' + name))));
  }
  await step('missing parts', () => peer.exchange(rpc('"e"', 'SendMessage', say('', { message: { parts: [] } }))));
}

/** Envelopes that are wrong, or nearly. */
async function envelopes(peer) {
  const get = (id) => rpc(id, 'GetTask', { id: 't' });
  const bad = {
    'unknown method': [rpc('1', 'getTask', { id: 't' })],
    'old method': [rpc('"2"', 'message/send', {})],
    'version': [get('3'), { 'a2a-version': '2.0' }],
    'version empty': [get('3'), { 'a2a-version': '' }],
    'version none': [get('3'), { 'a2a-version': undefined }],
    'batch': [`[${get('4')}]`],
    'notification': ['{"jsonrpc":"2.0","method":"CancelTask","params":{"id":"t"}}'],
    'id object': [get('{"n":1}')],
    'jsonrpc 1.0': ['{"jsonrpc":"1.0","id":5,"method":"GetTask","params":{"id":"t"}}'],
    'params list': [rpc('6', 'GetTask', ['t'])],
    'member twice': ['{"jsonrpc":"2.0","id":7,"method":"GetTask","method":"CancelTask","params":{"id":"t"}}'],
    'not JSON': ['{"jsonrpc":'],
  };
  for (const [name, [body, more]] of Object.entries(bad)) {
    await step('envelope ' + name, () => peer.exchange(body, more));
  }
  await step('envelope notification of a look', async () => {
    await peer.ask('{"jsonrpc":"2.0","method":"GetTask","params":{"id":"t"}}');
    await peer.held();
  });
}

/** What the requester says of its own limits. */
async function limits(peer) {
  await step('time-out', () => peer.exchange(rpc('1', 'SendMessage', say('long 60')), { 'a2a-timeout-ms': '300' }));
  await step('reply too large', () => peer.exchange(rpc('2', 'SendMessage', say('echo ' + large)), { 'a2a-max-reply-bytes': '5000' }));
  await step('leave a call', async () => {
    const call = await peer.ask(rpc('3', 'SendMessage', say('long 60')));
    await call.cancel();
    await peer.held();
  });
}
