// Two agents on the official SDK's server, each over JSON-RPC, HTTP+JSON and
// gRPC at free loopback ports: one that can do everything, and one that has
// neither streams, nor push notifications, nor an extended card, and requires
// an extension.
//
//   node server.mjs
//
// It prints {"full": URL, "strict": URL}, the addresses whose well-known path
// has the agents' cards, and ends when its standard input does.

import express from 'express';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { A2A_CONTENT_TYPE, AGENT_CARD_PATH, AgentCard } from '@a2a-js/sdk';
import { DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } from '@a2a-js/sdk/server/express';
import { A2AService, UserBuilder as GrpcUserBuilder, grpcService } from '@a2a-js/sdk/server/grpc';
import { Executor } from './executor.mjs';

const capabilities = {
  full: {
    streaming: true,
    pushNotifications: true,
    extendedAgentCard: true,
    extensions: [{ uri: 'https://ext.example/geo' }, { uri: 'https://ext.example/cite' }],
  },
  strict: { extensions: [{ uri: 'https://ext.example/required', required: true }] },
};

const skill = (id) => ({ id, name: id, description: id, tags: ['test'] });

function listen(app) {
  return new Promise((resolve, reject) => {
    const server = app.listen(0, '127.0.0.1', (err) => (err ? reject(err) : resolve(server.address().port)));
  });
}

function bind(server) {
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (err, port) => (err ? reject(err) : resolve(port)));
  });
}

async function serve(name) {
  const app = express();
  const url = `http://127.0.0.1:${await listen(app)}`;
  const grpc = new Server();
  const interfaces = [
    { protocolBinding: 'JSONRPC', url: url + '/jsonrpc' },
    { protocolBinding: 'HTTP+JSON', url: url + '/rest' },
    { protocolBinding: 'GRPC', url: `127.0.0.1:${await bind(grpc)}` },
  ];
  const card = AgentCard.fromJSON({
    name,
    description: 'An agent on the official JavaScript SDK.',
    version: '1.0.0',
    capabilities: capabilities[name],
    supportedInterfaces: interfaces.map((i) => ({ ...i, protocolVersion: '1.0' })),
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [skill('echo')],
  });
  const extended = AgentCard.fromJSON({ ...AgentCard.toJSON(card), skills: [skill('echo'), skill('more')] });
  const requestHandler = new DefaultRequestHandler(
    card, new InMemoryTaskStore(), new Executor(), undefined, undefined, undefined, async () => extended);

  if (name === 'full') {
    // The SDK reads bodies of express's 100 kB, unless they were read before.
    app.use(express.json({ limit: '8mb', type: ['application/json', A2A_CONTENT_TYPE] }));
  }
  app.use('/' + AGENT_CARD_PATH, agentCardHandler({ agentCardProvider: requestHandler }));
  app.use('/jsonrpc', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  app.use('/rest', restHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  grpc.addService(A2AService, grpcService({ requestHandler, userBuilder: GrpcUserBuilder.noAuthentication }));
  return url;
}

process.stdin.on('end', () => process.exit(0)).resume();
console.log(JSON.stringify({ full: await serve('full'), strict: await serve('strict') }));
