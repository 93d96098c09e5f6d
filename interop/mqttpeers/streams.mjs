// Streams: to their end, subscribed to, held back, sent again, and left.

import { rpc } from './peer.mjs';
import { step } from './report.mjs';
import { say, start, taskIn } from './request.mjs';

const stream = (text, more) => rpc('"s"', 'SendStreamingMessage', say(text, more));

export async function streams(peer) {
  await whole(peer);
  await subscriptions(peer);
  await credits(peer);
  await resends(peer);
  await leaving(peer);
}

/** Streams to their end, behind which nothing comes. */
async function whole(peer) {
  const texts = {
    'stream': 'stream 3',
    'stream message': 'message hello',
    'stream input': 'input',
    'stream error': 'error-after 2 InternalError',
    'stream error at once': 'error TaskNotFoundError',
  };
  for (const [name, text] of Object.entries(texts)) {
    await step(name, async () => {
      const packets = await peer.whole(stream(text));
      await peer.quiet();
      return packets;
    });
  }
  await step('stream without a window', async () => {
    const packets = await (await peer.ask(stream('stream 3'))).take(6);
    await peer.held();
    return packets;
  });
}

async function subscriptions(peer) {
  await step('subscribe', async () => {
    const { id } = taskIn(await peer.exchange(rpc('1', 'SendMessage', start('long 60'))));
    const call = await peer.stream(rpc('"s"', 'SubscribeToTask', { id }));
    const packets = await call.take(1);
    await peer.exchange(rpc('2', 'CancelTask', { id }));
    packets.push(...await call.rest());
    await call.credit(packets.length);
    await peer.quiet();
    return packets;
  });
  await step('subscribe unknown', () => peer.whole(rpc('"s"', 'SubscribeToTask', { id: 'no such task' })));
  await step('subscribe ended', async () => {
    const { id } = taskIn(await peer.exchange(rpc('4', 'SendMessage', say('echo hello'))));
    return peer.whole(rpc('"s"', 'SubscribeToTask', { id }));
  });
}

/** What there is no room for in the window does not come. */
async function credits(peer) {
  const four = { 'a2a-stream-window': '4' };
  await step('credits', async () => {
    const call = await peer.stream(stream('stream 6'), four);
    const packets = await call.take(4);
    await peer.held();
    // A stream that is held back holds nothing else up.
    const other = await peer.whole(stream('stream 50'));
    if (other.length < 53) throw new Error(`the other stream had ${other.length} packets`);
    await call.credit(2);
    packets.push(...await call.take(2));
    await peer.held();
    await call.credit(2); // says nothing new
    await call.credit(1000); // of what has not been sent
    await call.control('credit', { 'a2a-stream-ack': '6', 'a2a-requester-agent-id': 'another' });
    await call.control('credit');
    await call.control('credit', { 'a2a-stream-ack': '-6' });
    await call.control('pause');
    await peer.held();
    await call.credit(6);
    packets.push(...await call.rest());
    await call.credit(packets.length);
    await peer.quiet();
    return packets;
  });
  await step('credits as they are used', async () => {
    const call = await peer.stream(stream('stream 200'), four);
    const packets = await call.rest((n) => n % 2 || call.credit(n));
    await call.credit(packets.length);
    return packets;
  });
}

/** A packet that was lost on the way comes again, and so do those behind it. */
async function resends(peer) {
  await step('resend', async () => {
    const call = await peer.stream(stream('stream 3'));
    const packets = await call.rest(); // of which number 2 is taken for lost
    await call.resend(2);
    const again = await call.rest();
    await call.credit(packets.length);
    await call.resend(2); // of what is forgotten
    await peer.held();
    return [...packets, ...again];
  });
  await step('resend of what is acknowledged', async () => {
    const call = await peer.stream(stream('stream 6'), { 'a2a-stream-window': '4' });
    const packets = await call.take(4);
    await call.credit(3);
    packets.push(...await call.take(3));
    await call.resend(1); // all but those that were acknowledged
    packets.push(...await call.take(4));
    await call.credit(7);
    packets.push(...await call.rest());
    await call.credit(10);
    await peer.quiet();
    return packets;
  });
}

/** Streams that are left: nothing more comes, and the task goes on. */
async function leaving(peer) {
  const cancelTask = (id) => peer.exchange(rpc('"cancel"', 'CancelTask', { id }));
  await step('leave', async () => {
    const call = await peer.stream(stream('long 60'));
    const packets = await call.take(2);
    await call.cancel();
    const { id } = taskIn(packets[0]);
    packets.push(await peer.exchange(rpc('8', 'GetTask', { id })), await cancelTask(id));
    await peer.held();
    return packets;
  });
  await step('leave what is held back', async () => {
    const call = await peer.stream(stream('stream 6'), { 'a2a-stream-window': '1' });
    const packets = await call.take(1);
    await call.cancel();
    await call.credit(1);
    await call.resend(0);
    await peer.held();
    return packets;
  });
}

/** A stream that is silent says that it lives. This takes ten seconds. */
export async function heartbeats(peer) {
  await step('heartbeat', async () => {
    const call = await peer.stream(stream('long 60'));
    const packets = await call.take(3);
    await call.credit(2);
    const { id } = taskIn(packets[0]);
    await peer.exchange(rpc('1', 'CancelTask', { id }));
    packets.push(...await call.rest());
    await call.credit(packets.length);
    await peer.quiet();
    return packets;
  });
}
