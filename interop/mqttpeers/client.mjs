// A requester on the npm package mqtt.
//
//   node client.mjs talk BROKER ROOT ORG/UNIT/AGENT
//   node client.mjs watch BROKER ROOT
//
// talk holds a conversation with an agent. watch prints the cards that agents
// publish, until its input ends. Both print a line of JSON a step (see
// report.mjs), and exit with 0 whatever the agent answered.

import { once } from 'node:events';
import { connect, describe, open } from './peer.mjs';
import { operations } from './operations.mjs';
import { repeats, unanswerable } from './repeats.mjs';
import { print } from './report.mjs';
import { heartbeats, streams } from './streams.mjs';

async function talk(broker, root, agent) {
  const [slow, peer] = await Promise.all([connect({ broker, root, agent }), connect({ broker, root, agent })]);
  const beats = heartbeats(slow);
  for (const script of [operations, streams, repeats, unanswerable]) await script(peer);
  await beats;
  await Promise.all([slow.close(), peer.close()]);
}

async function watch(broker, root) {
  const client = await open(broker, 'npm-watch');
  client.on('message', (topic, payload, packet) => print({ step: topic, packets: [describe('', packet)] }));
  await client.subscribeAsync(`${root}/discovery/+/+/+`, { qos: 1 });
  process.stdin.resume();
  await once(process.stdin, 'end');
  await client.endAsync();
}

const [script, ...args] = process.argv.slice(2);
if (script === 'talk' && args.length === 3) {
  await talk(...args);
} else if (script === 'watch' && args.length === 2) {
  await watch(...args);
} else {
  console.error('usage: node client.mjs talk BROKER ROOT ORG/UNIT/AGENT\n       node client.mjs watch BROKER ROOT');
  process.exit(2);
}
