// A party of interop/itk on the official SDK: an agent that carries out errands,
// and calls the next agent with the SDK's client where one says so.
//
//   node traveller.mjs
//
// It prints the URL whose well-known path has its card, and ends when its
// standard input does. What an errand is says interop/itk/errand_test.go.

import { randomUUID } from 'node:crypto';
import {
  CancelTaskRequest, Message, SendMessageRequest, SubscribeToTaskRequest, Task, TaskState, TaskStatusUpdateEvent,
} from '@a2a-js/sdk';
import { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { AgentEvent } from '@a2a-js/sdk/server';
import { serve } from './serve.mjs';

const transports = { jsonrpc: JsonRpcTransportFactory, rest: RestTransportFactory, grpc: GrpcTransportFactory };
const held = ' (held)';

/** The text of a status message. */
const told = (status) => (status?.message?.parts ?? []).map((p) => (p.content?.$case === 'text' ? p.content.value : '')).join('');

/** The status that an event or a task has. */
const statusOf = (e) => (e.payload ? e.payload.value.status : e.status);

function request(errand, configuration) {
  return SendMessageRequest.fromJSON({
    message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: errand, mediaType: 'application/json' }] },
    configuration,
  });
}

const ways = {
  async send(client, { errand }) {
    return told(statusOf(await client.sendMessage(request(errand))));
  },
  async push(client, { errand, hook }) {
    const taskPushNotificationConfig = { id: 'hook', url: hook.url, authentication: { scheme: 'Bearer', credentials: hook.token } };
    return told(statusOf(await client.sendMessage(request(errand, { taskPushNotificationConfig }))));
  },
  async stream(client, { errand }) {
    let last = '';
    for await (const e of client.sendMessageStream(request(errand))) last = told(statusOf(e)) || last;
    return last;
  },
  async resubscribe(client, { errand }) {
    let id;
    for await (const e of client.sendMessageStream(request(errand))) {
      id = e.payload.value.id;
      break;
    }
    let last = '';
    for await (const e of client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id }))) {
      last = told(statusOf(e)) || last;
      if (last.endsWith(held)) break;
    }
    const canceled = await client.cancelTask(CancelTaskRequest.fromJSON({ id }));
    if (canceled.status?.state !== TaskState.TASK_STATE_CANCELED) throw new Error(`the task is ${canceled.status?.state}, and not canceled`);
    return last.slice(0, -held.length);
  },
};

async function call(next) {
  const factory = new ClientFactory({ transports: [new transports[next.transport]()] });
  return ways[next.behaviour](await factory.createFromUrl(next.card), next);
}

class Traveller {
  #waits = new Map();

  async execute(context, bus) {
    const { taskId, contextId } = context;
    const status = (state, text) => {
      const message = text && { messageId: randomUUID(), role: 'ROLE_AGENT', parts: [{ text }], taskId, contextId };
      bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({
        taskId, contextId, status: { state: 'TASK_STATE_' + state, timestamp: new Date().toISOString(), message },
      })));
    };
    bus.publish(AgentEvent.task(Task.fromJSON({
      id: taskId, contextId, status: { state: 'TASK_STATE_SUBMITTED' }, history: [Message.toJSON(context.userMessage)],
    })));
    status('WORKING');
    try {
      const errand = context.userMessage.parts[0].content.value;
      const rest = errand.next ? '\n' + (await call(errand.next)) : '';
      if (errand.hold) {
        const canceled = new Promise((resolve) => this.#waits.set(taskId, resolve));
        status('WORKING', errand.token + rest + held);
        await canceled;
        status('CANCELED');
      } else {
        status('COMPLETED', errand.token + rest);
      }
    } catch (e) {
      status('FAILED', `JavaScript: ${e.stack}`);
    }
  }

  async cancelTask(taskId) {
    this.#waits.get(taskId)?.();
    this.#waits.delete(taskId);
  }
}

process.stdin.on('end', () => process.exit(0)).resume();
const capabilities = { streaming: true, pushNotifications: true };
console.log(JSON.stringify(await serve({ name: 'traveller', capabilities, executor: new Traveller() })));
