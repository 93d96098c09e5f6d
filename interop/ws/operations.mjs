// Every class of operation, in either dialect.

import { call } from './peer.mjs';
import { step } from './report.mjs';
import { faults, hook, large, say, start, taskOf, unicode } from './request.mjs';

export async function operations(peer) {
  await messages(peer);
  await ids(peer);
  await tasks(peer);
  await pushing(peer);
  await errors(peer);
  await envelopes(peer);
}

async function messages(peer) {
  const send = (id, text, more) => peer.exchange(call(id, 'SendMessage', say(text), more));
  await step('send', () => send('1', 'echo hello'));
  await step('send message', () => send('2', 'message hello'));
  await step('send unicode', () => send('3', 'echo ' + unicode));
  await step('send large', () => send('4', 'echo ' + large));
  await step('service parameters', () =>
    send('5', 'mirror', { serviceParams: { 'A2A-Extensions': 'https://ext.example/geo, https://ext.example/none', 'X-Trace': 'Mixed Case' } }));
  await step('two turns', async () => {
    const asked = await send('6', 'input');
    const { id: taskId, contextId } = JSON.parse(asked[0]).result.task;
    return [...asked, ...await peer.exchange(call('7', 'SendMessage', say('blue', { message: { taskId, contextId } })))];
  });
}

/** Ids come back as they were written, and "1" is not 1. */
async function ids(peer) {
  for (const id of ['1', '"1"', '"a b"', '"é\\u00e9"', '9007199254740993', '1.50', '-0', '""']) {
    await step('id ' + id, () => peer.exchange(call(id, 'SendMessage', say('message hello'))));
  }
}

async function tasks(peer) {
  const tenant = 'tasks';
  let id;
  await step('send to get', async () => {
    const frames = await peer.exchange(call('1', 'SendMessage', say('echo kept', { tenant })));
    id = taskOf(frames[0]);
    return frames;
  });
  await step('get', () => peer.exchange(call('2', 'GetTask', { id, tenant, historyLength: 0 })));
  await step('list', () => peer.exchange(call('3', 'ListTasks', { tenant, includeArtifacts: true })));
  await step('list nothing', () => peer.exchange(call('4', 'ListTasks', { tenant: 'nobody' })));
  await step('get unknown', () => peer.exchange(call('5', 'GetTask', { id: 'no such task' })));
  await step('cancel', async () => {
    const started = await peer.exchange(call('6', 'SendMessage', start('long 60')));
    return peer.exchange(call('7', 'CancelTask', { id: taskOf(started[0]) }));
  });
  await step('cancel again', () => peer.exchange(call('8', 'CancelTask', { id, tenant })));
  await step('extended card', () => peer.exchange(call('9', 'GetExtendedAgentCard', {})));
}

async function pushing(peer) {
  const taskId = taskOf((await peer.exchange(call('0', 'SendMessage', say('input'))))[0]);
  const config = { taskId, id: 'push 1/2', url: hook, token: 'secret' };
  const named = { taskId, id: config.id };
  await step('push create', () => peer.exchange(call('1', 'CreateTaskPushNotificationConfig', config)));
  await step('push get', () => peer.exchange(call('2', 'GetTaskPushNotificationConfig', named)));
  await step('push list', () => peer.exchange(call('3', 'ListTaskPushNotificationConfigs', { taskId })));
  await step('push delete', () => peer.exchange(call('4', 'DeleteTaskPushNotificationConfig', named)));
  await step('push get deleted', () => peer.exchange(call('5', 'GetTaskPushNotificationConfig', named)));
}

async function errors(peer) {
  for (const name of faults) {
    await step('error ' + name, () => peer.exchange(call('"e"', 'SendMessage', say('error ' + name))));
  }
  await step('missing parts', () => peer.exchange(call('"e"', 'SendMessage', say('', { message: { parts: [] } }))));
}

/** Envelopes that are wrong. The connection outlives them. */
async function envelopes(peer) {
  const bad = {
    'unknown method': call('1', 'getTask', { id: 't' }),
    'old method': call('"2"', 'message/send', {}),
    'version': call('3', 'GetTask', { id: 't' }, { serviceParams: { 'a2a-version': '2.0' } }),
    'version empty': call('3', 'GetTask', { id: 't' }, { serviceParams: { 'a2a-version': '' } }),
    'version none': '{"jsonrpc":"2.0","id":3,"method":"GetTask","params":{"id":"t"}}',
    'batch': `[${call('4', 'GetTask', { id: 't' })}]`,
    'notification': '{"jsonrpc":"2.0","method":"GetTask","params":{"id":"t"},"serviceParams":{"a2a-version":"1.0"}}',
    'id null': call('null', 'GetTask', { id: 't' }),
    'id object': call('{"n":1}', 'GetTask', { id: 't' }),
    'jsonrpc 1.0': '{"jsonrpc":"1.0","id":5,"method":"GetTask","params":{"id":"t"}}',
    'params list': call('6', 'GetTask', ['t']),
    'member twice': '{"jsonrpc":"2.0","id":7,"method":"GetTask","method":"CancelTask","params":{"id":"t"}}',
  };
  for (const [name, frame] of Object.entries(bad)) {
    await step('envelope ' + name, () => peer.exchange(frame));
  }
  await step('unknown frames', async () => {
    peer.send('{}', '{"jsonrpc":"2.0","id":9}', '{"jsonrpc":"2.0","id":9,"pause":true}', '{"jsonrpc":"2.0","control":"Hello"}');
    await peer.quiet();
  });
}
