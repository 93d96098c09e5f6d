// One conversation of the official SDK's client with an agent.
//
//   node client.mjs CARD-BASE-URL jsonrpc|rest|grpc [full|strict]
//
// It takes the agent's card, calls every operation over that transport alone,
// and prints one line of JSON a step (see report.mjs). It exits with 0 whatever
// the agent answered, and with another status if it crashed.

import { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { full } from './full.mjs';
import { strict } from './strict.mjs';

const transports = { jsonrpc: JsonRpcTransportFactory, rest: RestTransportFactory, grpc: GrpcTransportFactory };
const conversations = { full, strict };

const [url, transport, mode = 'full'] = process.argv.slice(2);
const Factory = transports[transport];
const converse = conversations[mode];
if (!url || !Factory || !converse) {
  console.error('usage: node client.mjs CARD-BASE-URL jsonrpc|rest|grpc [full|strict]');
  process.exit(2);
}

const factory = new ClientFactory({ transports: [new Factory()] });
await converse(await factory.createFromUrl(url), url);
// Open channels would keep the process.
process.stdout.write('', () => process.exit(0));
