// Requests that come twice, and packets that no reply may answer.

import { randomUUID } from 'node:crypto';
import { rpc } from './peer.mjs';
import { step } from './report.mjs';
import { say } from './request.mjs';

/** Each request is executed once, however often it comes. */
export async function repeats(peer) {
  const once = (text, method = 'SendMessage') => {
    const tenant = 'repeats-' + randomUUID();
    return {
      body: rpc('"s"', method, say(text, { tenant })),
      same: { 'a2a-request-id': randomUUID() },
      count: () => peer.exchange(rpc('2', 'ListTasks', { tenant }), { label: 'count' }),
    };
  };
  await step('repeat in flight', async () => {
    const { body, same, count } = once('long 0.5');
    const first = await peer.ask(body, { label: 'first', ...same });
    const second = await peer.ask(body, { label: 'second', ...same });
    return [await first.next(), await second.next(), await count()];
  });
  await step('repeat what was answered', async () => {
    const { body, same, count } = once('echo once');
    const first = await peer.exchange(body, { label: 'first', ...same });
    const second = await peer.exchange(body, { label: 'second', ...same });
    const other = await peer.exchange(body, { label: 'other' }); // another request, of the same text
    return [first, second, other, await count()];
  });
  await step('repeat a stream', async () => {
    const { body, same, count } = once('stream 6', 'SendStreamingMessage');
    const four = { 'a2a-stream-window': '4', ...same };
    const first = await peer.stream(body, { label: 'first', ...four });
    const packets = await first.take(4);
    const second = await peer.stream(body, { label: 'second', ...four });
    packets.push(...await second.take(4));
    await second.credit(4);
    packets.push(...await second.rest((n) => second.credit(4 + n)));
    await second.credit(10);
    await peer.held();
    packets.push(await peer.exchange(body, { label: 'third', ...four }), await count());
    return packets;
  });
}

/** What cannot be answered is passed over, and the agent lives. */
export async function unanswerable(peer) {
  const body = rpc('1', 'SendMessage', say('message hello'));
  const outside = `elsewhere/${peer.name}`;
  await peer.client.subscribeAsync([outside, `${peer.root}/discovery/acme/edge/${peer.name}`], { qos: 1 });
  const topics = {
    'wildcard +': `${peer.root}/reply/acme/edge/${peer.name}/+`,
    'wildcard #': `${peer.root}/reply/#`,
    'outside': outside,
    'of a card': `${peer.root}/discovery/acme/edge/${peer.name}`,
    'too long': `${peer.root}/reply/${'x'.repeat(2000)}`,
  };
  for (const [name, responseTopic] of Object.entries(topics)) {
    await step('response topic ' + name, async () => {
      await peer.ask(body, { packet: { responseTopic } });
      await peer.held();
    });
  }
  const packets = {
    'no response topic': [body, { correlationData: Buffer.from('c') }],
    'no correlation': [body, { responseTopic: peer.replies }],
    'no payload': ['', { responseTopic: peer.replies, correlationData: Buffer.from('c') }],
    'nothing': ['', {}],
  };
  for (const [name, [payload, packet]] of Object.entries(packets)) {
    await step(name, async () => {
      await peer.publish(payload, undefined, packet);
      await peer.held();
    });
  }
  await step('control of nothing', async () => {
    const call = await peer.ask(body);
    const packets = [await call.next()];
    await call.cancel();
    await call.credit(1);
    await peer.publish('', { 'a2a-control': 'cancel-stream' });
    await peer.held();
    return packets;
  });
}
