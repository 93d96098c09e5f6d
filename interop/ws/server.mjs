// A server of the proposal, without flow control, on the npm package ws.
//
//   node server.mjs
//
// It prints {"url": URL} and ends when its standard input does; then it prints
// {"violations": […], "canceled": N}: what it was sent that the proposal does
// not have, and how many streams were left by cancelStream. What a message
// says decides what happens (see replies.mjs).

import { once } from 'node:events';
import { WebSocketServer } from 'ws';
import { print } from './report.mjs';
import { answers, events } from './replies.mjs';

const calls = ['id', 'jsonrpc', 'method', 'params', 'serviceParams'];
const cancels = ['cancelStream', 'id', 'jsonrpc'];

const violations = [];
let canceled = 0;

const server = new WebSocketServer({
  host: '127.0.0.1', port: 0, perMessageDeflate: false,
  handleProtocols: (offered) => offered.has('a2a.v1') && 'a2a.v1',
});

server.on('connection', (socket, request) => {
  const left = new Map(); // streams in flight: what to do when they are left
  const context = { socket, request, left, send: (id, member) => socket.send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},${member}}`) };
  socket.on('message', (data, binary) => {
    const frame = JSON.parse(data.toString());
    const members = Object.keys(frame).sort().join();
    if (!binary && members === cancels.join()) {
      if (left.has(frame.id)) canceled++;
      left.get(frame.id)?.();
      left.delete(frame.id);
      return;
    }
    const own = frame.method === 'Authenticate' ? calls.filter((m) => m !== 'serviceParams') : calls;
    if (binary || members !== own.join() || frame.jsonrpc !== '2.0' || !['string', 'number'].includes(typeof frame.id)) {
      violations.push(data.toString());
      context.send(frame.id ?? null, '"error":{"code":-32600,"message":"not a frame of the proposal"}');
      return;
    }
    const answer = answers[frame.method] ?? events[frame.method];
    if (!answer) {
      context.send(frame.id, '"error":{"code":-32601,"message":"no such method"}');
      return;
    }
    answer(frame, context);
  });
});

await once(server, 'listening');
print({ url: `ws://127.0.0.1:${server.address().port}/a2a` });
await once(process.stdin.resume(), 'end');
print({ violations, canceled });
for (const socket of server.clients) socket.terminate();
server.close();
