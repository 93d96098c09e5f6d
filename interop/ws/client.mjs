// A client on the npm package ws.
//
//   node client.mjs talk URL a2a.v1.flow|a2a.v1
//   node client.mjs endings JSON
//
// talk holds a conversation over one connection, in one dialect. endings is
// given servers by name and has each refuse handshakes and close connections.
// Both print a line of JSON a step (see report.mjs), and exit with 0 whatever
// the servers answered.

import { connect, flow, proposal } from './peer.mjs';
import { endings } from './endings.mjs';
import { operations } from './operations.mjs';
import { streams } from './streams.mjs';

async function talk(url, dialect) {
  const peer = await connect(url, [dialect]);
  await operations(peer);
  await streams(peer, dialect);
  await peer.close();
}

const [script, ...args] = process.argv.slice(2);
if (script === 'talk' && [flow, proposal].includes(args[1])) {
  await talk(...args);
} else if (script === 'endings') {
  await endings(JSON.parse(args[0]));
} else {
  console.error('usage: node client.mjs talk URL a2a.v1.flow|a2a.v1\n       node client.mjs endings JSON');
  process.exit(2);
}
