// Two agents on the official SDK's server: one that can do everything, and one
// that has neither streams, nor push notifications, nor an extended card, and
// requires an extension.
//
//   node server.mjs
//
// It prints {"full": URL, "strict": URL}, the addresses whose well-known path
// has the agents' cards, and ends when its standard input does.

import { AgentCard } from '@a2a-js/sdk';
import { Executor } from './executor.mjs';
import { serve, skill } from './serve.mjs';

const extended = (card) => AgentCard.fromJSON({ ...AgentCard.toJSON(card), skills: [skill('echo'), skill('more')] });

const agents = {
  full: {
    capabilities: {
      streaming: true,
      pushNotifications: true,
      extendedAgentCard: true,
      extensions: [{ uri: 'https://ext.example/geo' }, { uri: 'https://ext.example/cite' }],
    },
    extended,
    large: true,
  },
  strict: { capabilities: { extensions: [{ uri: 'https://ext.example/required', required: true }] }, extended },
};

process.stdin.on('end', () => process.exit(0)).resume();
const urls = {};
for (const [name, agent] of Object.entries(agents)) {
  urls[name] = await serve({ name, executor: new Executor(), ...agent });
}
console.log(JSON.stringify(urls));
