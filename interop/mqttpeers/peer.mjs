// A requester that writes and reads the documented packets by hand.

import { randomBytes, randomUUID } from 'node:crypto';
import mqtt from 'mqtt';

/** How long one packet may take, in milliseconds. */
const patience = 15_000;

/** Connects to a broker. */
export async function open(broker, clientId) {
  const client = await mqtt.connectAsync(broker, { protocolVersion: 5, clean: true, clientId, reconnectPeriod: 0, connectTimeout: patience });
  client.stream.setNoDelay(true); // else each packet waits 40 ms for an acknowledgement
  return client;
}

/** Connects as a requester of the agent at an address. */
export async function connect({ broker, root, agent }) {
  const [org, unit] = agent.split('/');
  const name = 'npm-' + randomBytes(6).toString('hex');
  const client = await open(broker, `${org}/${unit}/${name}`);
  const peer = new Peer(client, {
    name, root,
    requests: `${root}/request/${agent}`,
    replies: `${root}/reply/${org}/${unit}/${name}/s1`,
  });
  await peer.listen();
  return peer;
}

export class Peer {
  #calls = new Map(); // by correlation
  #strays = [];

  constructor(client, { name, root, requests, replies }) {
    Object.assign(this, { client, name, root, requests, replies });
    client.on('error', (e) => { this.#strays.push(String(e)); });
    client.on('message', (topic, payload, packet) => {
      const call = this.#calls.get(packet.properties?.correlationData?.toString('latin1'));
      if (call) call.arrived(describe(call.label, packet));
      else this.#strays.push(JSON.stringify(describe('(stray)', packet)));
    });
  }

  async listen() {
    await this.client.subscribeAsync(this.replies, { qos: 1, rh: 2 });
  }

  /** Publishes a packet to the agent. Properties are user properties: one or more, or undefined. */
  publish(payload, properties, { topic = this.requests, ...packet } = {}) {
    const options = { qos: 1, properties: { payloadFormatIndicator: true, ...packet, userProperties: properties } };
    return this.client.publishAsync(topic, payload, options);
  }

  /**
   * Sends a request, with properties that it has and those given. One that is
   * undefined is left away. The label is what its replies are printed with.
   */
  async ask(body, { label = '', packet, ...properties } = {}) {
    const call = new Call(this, label);
    this.#calls.set(call.correlation, call);
    const own = { 'a2a-version': '1.0', 'a2a-request-id': randomUUID(), 'a2a-requester-agent-id': this.name, ...properties };
    for (const key of Object.keys(own)) if (own[key] === undefined) delete own[key];
    await this.publish(body, own, {
      responseTopic: this.replies, correlationData: Buffer.from(call.correlation), contentType: 'application/a2a+json',
      messageExpiryInterval: 30, ...packet,
    });
    return call;
  }

  /** Sends a call and is its one reply. */
  async exchange(body, more) {
    return (await this.ask(body, more)).next();
  }

  /** Sends the call of a stream. */
  stream(body, more) {
    return this.ask(body, { 'a2a-stream-window': '64', ...more });
  }

  /** Sends the call of a stream and is its packets, the last of them too. */
  async whole(body, more) {
    const call = await this.stream(body, more);
    const packets = await call.rest();
    await call.credit(packets.length);
    return packets;
  }

  /** Fails if a packet has come that nobody waits for. */
  async quiet() {
    await this.exchange(rpc('"quiet"', 'GetTask', { id: 'no such task' }));
    const unread = [...this.#calls.values()].flatMap((c) => c.unread().map((p) => JSON.stringify(p)));
    const all = [...this.#strays, ...unread];
    if (all.length > 0) throw new Error(`packets that nobody waits for: ${all.join('\n').slice(0, 2000)}`);
  }

  /** The same for a while: what is held back does not come a little later. */
  async held() {
    for (let i = 0; i < 20; i++) await this.quiet();
  }

  async close() {
    await this.client.endAsync();
  }
}

/** A call in flight: what comes under one correlation. */
class Call {
  #arrived = [];
  #wake = () => {};

  constructor(peer, label) {
    this.peer = peer;
    this.label = label;
    this.correlation = randomBytes(16).toString('base64url');
  }

  arrived(packet) {
    this.#arrived.push(packet);
    this.#wake();
  }

  unread() {
    return this.#arrived.splice(0);
  }

  /** The next packet. */
  async next() {
    const late = Date.now() + patience;
    while (this.#arrived.length === 0) {
      await new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`nothing came in time for the call "${this.label}"`)), late - Date.now());
        this.#wake = () => { clearTimeout(timer); resolve(); };
      });
    }
    return this.#arrived.shift();
  }

  /** The next packets. */
  async take(n) {
    const packets = [];
    while (packets.length < n) packets.push(await this.next());
    return packets;
  }

  /** All packets up to one that ends the stream, and that one. */
  async rest(each) {
    for (const packets = []; ;) {
      packets.push(await this.next());
      if (packets.at(-1).properties['a2a-stream-end']) return packets;
      await each?.(packets.length);
    }
  }

  /** Sends a control packet. */
  control(kind, properties) {
    return this.peer.publish('', { 'a2a-control': kind, 'a2a-requester-agent-id': this.peer.name, ...properties },
      { correlationData: Buffer.from(this.correlation) });
  }

  /** Says how many packets have been taken. */
  credit(taken) {
    return this.control('credit', { 'a2a-stream-ack': String(taken) });
  }

  /** Asks for packets again. */
  resend(from) {
    return this.control('resend', { 'a2a-stream-seq': String(from) });
  }

  /** Leaves: nothing more is wanted. */
  cancel() {
    return this.control('cancel-stream');
  }
}

/** A packet as it is printed. */
export function describe(call, { topic, qos, retain, payload, properties = {} }) {
  return {
    call, topic, qos, retain,
    payload: payload.toString(),
    contentType: properties.contentType,
    utf8: properties.payloadFormatIndicator,
    properties: { ...properties.userProperties },
  };
}

/** A JSON-RPC request. The id is JSON text. */
export const rpc = (id, method, params) => `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${JSON.stringify(params)}}`;
