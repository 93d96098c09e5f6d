// An agent on the SDK's server, over JSON-RPC, HTTP+JSON and gRPC at free
// loopback ports.

import express from 'express';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { A2A_CONTENT_TYPE, AGENT_CARD_PATH, AgentCard } from '@a2a-js/sdk';
import { DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } from '@a2a-js/sdk/server/express';
import { A2AService, UserBuilder as GrpcUserBuilder, grpcService } from '@a2a-js/sdk/server/grpc';

export const skill = (id) => ({ id, name: id, description: id, tags: ['test'] });

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

/**
 * Serves an agent, and gives the URL whose well-known path has its card. Bodies
 * of more than 100 kB, which is what express reads, are read where large says
 * so; extended makes the extended card of the card.
 */
export async function serve({ name, capabilities, large = false, executor, extended }) {
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
    capabilities,
    supportedInterfaces: interfaces.map((i) => ({ ...i, protocolVersion: '1.0' })),
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain'],
    skills: [skill('echo')],
  });
  const requestHandler = new DefaultRequestHandler(
    card, new InMemoryTaskStore(), executor, undefined, undefined, undefined, extended && (async () => extended(card)));

  if (large) {
    app.use(express.json({ limit: '8mb', type: ['application/json', A2A_CONTENT_TYPE] }));
  }
  app.use('/' + AGENT_CARD_PATH, agentCardHandler({ agentCardProvider: requestHandler }));
  app.use('/jsonrpc', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  app.use('/rest', restHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  grpc.addService(A2AService, grpcService({ requestHandler, userBuilder: GrpcUserBuilder.noAuthentication }));
  return url;
}
