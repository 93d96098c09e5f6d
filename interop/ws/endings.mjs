// Every way in which a server refuses a handshake or closes a connection.

import { get } from 'node:http';
import { once } from 'node:events';
import { call, connect, flow, proposal, refused, streamCredit } from './peer.mjs';
import { step } from './report.mjs';
import { say } from './request.mjs';

export async function endings(at) {
  await handshakes(at);
  await messages(at);
  // These take their time, and so all of it at once.
  await Promise.all([expiry(at), renewal(at), idle(at), mute(at)]);
  await shutdown(at);
}

const bearer = (token) => ({ headers: { Authorization: `Bearer ${token}` } });

async function handshakes(at) {
  const both = [flow, proposal];
  const open = (protocols, options) => async () => {
    const peer = await connect(at.plain, protocols, options);
    const headers = { 'sec-websocket-protocol': peer.socket.protocol };
    await peer.quiet();
    await peer.close();
    return { headers };
  };
  await step('offer both', open([flow, proposal]));
  await step('offer both, the other first', open([proposal, flow]));
  await step('offer the proposal', open([proposal]));
  await step('offer in capitals', open(['A2A.V1']));
  await step('own origin', open(both, { origin: at.plain.replace('ws:', 'http:') }));
  await step('no subprotocol', () => refused(at.plain, []));
  await step('another subprotocol', () => refused(at.plain, ['mqtt']));
  await step('foreign origin', () => refused(at.plain, both, { origin: 'http://foreign.example' }));
  await step('null origin', () => refused(at.plain, both, { origin: 'null' }));
  await step('foreign host', () => refused(at.plain, both, { headers: { Host: 'rebound.example' } }));
  await step('no credential', () => refused(at.guarded, both));
  await step('wrong credential', () => refused(at.guarded, both, bearer('wrong')));
  await step('one too many', async () => {
    const peers = [await connect(at.small, both), await connect(at.small, both)];
    const answer = await refused(at.small, both);
    await Promise.all(peers.map((p) => p.close()));
    return answer;
  });
  await step('no upgrade', async () => {
    const [response] = await once(get(at.plain.replace('ws:', 'http:'), { agent: false }), 'response');
    response.resume();
    return { status: response.statusCode, headers: response.headers };
  });
}

/** Messages that close the connection, with a stream in flight. */
async function messages(at) {
  const bad = {
    'not JSON': (p) => p.send('{"jsonrpc":'),
    'binary': (p) => p.socket.send(call('1', 'GetTask', { id: 't' }), { binary: true }),
    'not UTF-8': (p) => p.socket.send(Buffer.from('{"jsonrpc":"2.0","id":"\xff"}', 'latin1'), { binary: false }),
    'oversize': (p) => p.send(call('1', 'SendMessage', say('x'.repeat(200_000)))),
    'id in flight': (p) => p.send(call('"s"', 'GetTask', { id: 't' })),
  };
  for (const [name, send] of Object.entries(bad)) {
    for (const dialect of [flow, proposal]) {
      await step(`${name} (${dialect})`, async () => {
        const peer = await connect(at.small, [dialect]);
        peer.send(call('"s"', 'SendStreamingMessage', say('long 60')));
        await peer.take(2);
        send(peer);
        return peer.closed();
      });
    }
  }
  await step('oversize for the agent alone', async () => {
    const peer = await connect(at.small, [flow]);
    const frames = await peer.exchange(call('1', 'SendMessage', say('x'.repeat(20_000))));
    await peer.quiet();
    await peer.close();
    return frames;
  });
}

/** Authentication that expires, with a stream in flight. */
async function expiry(at) {
  await step('expired', async () => {
    const peer = await connect(at.guarded, [flow], bearer('short'));
    peer.send(call('"s"', 'SendStreamingMessage', say('auth')));
    await peer.take(3);
    const asked = await peer.take(1); // for another
    peer.send(call('1', 'GetTask', { id: 't' }));
    const { frames, close } = await peer.closed();
    return { frames: [...asked, ...frames], close };
  });
}

async function renewal(at) {
  const authenticate = (id, credentials) =>
    `{"jsonrpc":"2.0","id":${id},"method":"Authenticate","params":{"scheme":"Bearer","credentials":"${credentials}"}}`;
  await step('renewed', async () => {
    const peer = await connect(at.guarded, [proposal], bearer('short'));
    const frames = await peer.take(1);
    for (const credentials of ['wrong', 'another', 'long']) {
      frames.push(...await peer.exchange(authenticate('1', credentials)));
    }
    frames.push(...await peer.exchange(call('2', 'SendMessage', say('message hello'))));
    await peer.close();
    return frames;
  });
}

async function idle(at) {
  await step('idle', async () => (await connect(at.impatient, [flow])).closed());
}

async function mute(at) {
  await step('mute', async () => {
    const peer = await connect(at.impatient, [flow], { autoPong: false });
    peer.send(call('"s"', 'SendStreamingMessage', say('auth')));
    await peer.take(3);
    return peer.closed();
  });
}

/** A server that stops lets what is in flight come to its end. */
async function shutdown(at) {
  await step('shutdown', async () => {
    const peer = await connect(at.stopping, [flow]);
    peer.send(call('"s"', 'SendStreamingMessage', say('stream 3'), { more: ',"streamWindow":1' }));
    const frames = await peer.take(1);
    const stopped = fetch(at.stop, { method: 'POST' });
    let refusal;
    do {
      [refusal] = await peer.exchange(call('1', 'GetTask', { id: 'no such task' }));
    } while (JSON.parse(refusal).error.code === -32001);
    peer.send(streamCredit('"s"', 100));
    const { frames: rest, close } = await peer.closed();
    const { status } = await stopped;
    return { frames: [refusal, ...frames, ...rest], close, status };
  });
  await step('stopped', () => refused(at.stopping, [flow]));
}
