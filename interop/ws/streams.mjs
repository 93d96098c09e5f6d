// Streams: to their end, subscribed to, left, and held back, in either dialect.

import { call, cancelStream, flow, streamCredit } from './peer.mjs';
import { step } from './report.mjs';
import { say, start, taskOf } from './request.mjs';

const stream = (id, text, more) => call(id, 'SendStreamingMessage', say(text), more);
const window = (n) => ({ more: `,"streamWindow":${n}` });
const cancelTask = (peer, id) => peer.exchange(call('"cancel"', 'CancelTask', { id }));

export async function streams(peer, dialect) {
  await whole(peer);
  await subscriptions(peer);
  await leaving(peer);
  await (dialect === flow ? credits(peer) : noCredits(peer));
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
      const frames = await peer.stream(stream('"s"', text));
      await peer.quiet();
      return frames;
    });
  }
  await step('stream the id again', async () =>
    [...await peer.stream(stream('"s"', 'stream 0')), ...await peer.stream(stream('"s"', 'stream 0'))]);
}

async function subscriptions(peer) {
  await step('subscribe', async () => {
    const id = taskOf((await peer.exchange(call('1', 'SendMessage', start('long 60'))))[0]);
    const frames = await peer.exchange(call('"sub"', 'SubscribeToTask', { id }));
    peer.send(call('2', 'CancelTask', { id }));
    // The answer and the end of the stream are two calls': in either order.
    const rest = await peer.take(3);
    await peer.quiet();
    return [...frames, ...rest.filter((f) => JSON.parse(f).id === 'sub')];
  });
  await step('subscribe unknown', () => peer.exchange(call('3', 'SubscribeToTask', { id: 'no such task' })));
  await step('subscribe ended', async () => {
    const id = taskOf((await peer.exchange(call('4', 'SendMessage', say('echo hello'))))[0]);
    return peer.exchange(call('5', 'SubscribeToTask', { id }));
  });
}

/** Streams that are left: one streamEnd, and the task goes on. */
async function leaving(peer) {
  await step('leave', async () => {
    peer.send(stream('7', 'long 60'));
    const frames = await peer.take(2);
    peer.send(cancelStream('7'));
    frames.push(...await peer.rest());
    peer.send(cancelStream('7')); // of what is not there any more
    await peer.quiet();
    const id = taskOf(frames[0]);
    frames.push(...await peer.exchange(call('8', 'GetTask', { id })), ...await cancelTask(peer, id));
    return frames;
  });
  await step('leave at once', async () => {
    peer.send(stream('7', 'long 60'), cancelStream('7'));
    const frames = await peer.rest();
    await peer.quiet();
    return frames.slice(-1); // how far it came is nobody's promise
  });
  await step('leave a call', async () => {
    peer.send(call('9', 'SendMessage', say('long 60')), cancelStream('9'));
    const frames = await peer.take(1);
    await peer.quiet();
    return frames;
  });
  await step('"1" and 1 at once', async () => {
    const frames = [];
    for (const id of ['1', '"1"']) {
      peer.send(stream(id, 'long 60'));
      frames.push(...await peer.take(2));
    }
    peer.send(cancelStream('1'));
    frames.push(...await peer.rest());
    await peer.quiet();
    peer.send(cancelStream('"1"'));
    frames.push(...await peer.rest());
    return frames;
  });
}

/** With flow control, what has no credit does not come. */
async function credits(peer) {
  const held = async () => { for (let i = 0; i < 20; i++) await peer.quiet(); };
  await step('credits', async () => {
    peer.send(stream('7', 'stream 6', window(4)));
    const frames = await peer.take(4);
    await held();
    // A stream that is held back holds nothing else up.
    const other = await peer.stream(stream('8', 'stream 50'));
    if (other.length !== 54) throw new Error(`the other stream had ${other.length} frames`);
    peer.send(streamCredit('7', 3));
    frames.push(...await peer.take(3));
    await held();
    peer.send(streamCredit('7', 100));
    frames.push(...await peer.rest());
    await peer.quiet();
    return frames;
  });
  await step('credits of a window', async () => {
    peer.send(stream('7', 'stream 300'));
    const frames = await peer.take(256);
    await held();
    peer.send(streamCredit('7', 1000));
    return [...frames, ...await peer.rest()].slice(-2);
  });
  await step('credits as they are used', async () => {
    const frames = await peer.stream(stream('7', 'stream 1000', window(8)), (n) => n % 4 || peer.send(streamCredit('7', 4)));
    return frames.slice(-2);
  });
  await step('leave what is held back', async () => {
    peer.send(stream('7', 'stream 6', window(1)));
    const frames = await peer.take(1);
    await held();
    peer.send(cancelStream('7'));
    frames.push(...await peer.rest());
    await peer.quiet();
    return frames;
  });
  for (const n of ['0', '-1', '"4"', '1.5']) {
    await step('window of ' + n, () => peer.exchange(stream('7', 'stream 1', window(n))));
  }
  await step('credit for nothing', async () => {
    peer.send(streamCredit('"none"', 5));
    await peer.quiet();
  });
}

/** Without it, all comes, and no frame of it does anything. */
async function noCredits(peer) {
  await step('no credits', async () => {
    peer.send(stream('7', 'stream 1000', window(2)), streamCredit('7', 1));
    const frames = await peer.rest();
    await peer.quiet();
    return [`${frames.length}`, ...frames.slice(-2)];
  });
}
