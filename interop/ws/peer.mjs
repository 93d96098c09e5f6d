// One end of a connection that writes and reads the documented frames by hand.

import { once } from 'node:events';
import WebSocket from 'ws';

/** The subprotocols: with flow control, and without. */
export const flow = 'a2a.v1.flow';
export const proposal = 'a2a.v1';

/** How long one answer may take, in milliseconds. */
const patience = 15_000;

/** Opens a connection that offers these subprotocols. */
export async function connect(url, protocols, options) {
  const socket = new WebSocket(url, protocols, { handshakeTimeout: patience, perMessageDeflate: false, ...options });
  const peer = new Peer(socket);
  await once(socket, 'open', { signal: AbortSignal.timeout(patience) });
  return peer;
}

/** The answer to a handshake that does not become a connection. */
export async function refused(url, protocols, options) {
  const socket = new WebSocket(url, protocols, { handshakeTimeout: patience, ...options });
  try {
    const opened = once(socket, 'open').then(() => { throw new Error('the handshake succeeded'); });
    const [, response] = await Promise.race([once(socket, 'unexpected-response'), opened]);
    let body = '';
    for await (const piece of response.setEncoding('utf8')) body += piece;
    return { status: response.statusCode, headers: response.headers, frames: [body] };
  } finally {
    socket.on('error', () => {}); // of a handshake that is left
    socket.terminate();
  }
}

export class Peer {
  #arrived = [];
  #wake = () => {};
  #close;

  constructor(socket) {
    this.socket = socket;
    socket.on('message', (data, binary) => {
      this.#arrived.push(binary ? '(binary)' : data.toString());
      this.#wake();
    });
    socket.on('close', (code, reason) => {
      this.#close = { code, reason: reason.toString() };
      this.#wake();
    });
    socket.on('error', () => {}); // a close follows, and says why
  }

  /** Waits until there is a frame, or none will come, and is the frame. */
  async #wait() {
    const late = Date.now() + patience;
    while (this.#arrived.length === 0 && !this.#close) {
      await new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('nothing came in time')), late - Date.now());
        this.#wake = () => { clearTimeout(timer); resolve(); };
      });
    }
    return this.#arrived.shift();
  }

  /** Sends frames, one behind the other. */
  send(...frames) {
    for (const frame of frames) this.socket.send(frame);
  }

  /** The next frame. */
  async next() {
    const frame = await this.#wait();
    if (frame === undefined) throw new Error(`the connection was closed: ${JSON.stringify(this.#close)}`);
    return frame;
  }

  /** The next frames. */
  async take(n) {
    const frames = [];
    while (frames.length < n) frames.push(await this.next());
    return frames;
  }

  /** All frames up to one that ends a stream, and that one. */
  async rest(each) {
    for (const frames = []; ;) {
      frames.push(await this.next());
      if (ends(frames.at(-1))) return frames;
      each?.(frames.length);
    }
  }

  /** Sends a call and is its answer, in a list. */
  exchange(frame) {
    this.send(frame);
    return this.take(1);
  }

  /** Sends the call of a stream and is its frames, the last of them too. */
  stream(frame, each) {
    this.send(frame);
    return this.rest(each);
  }

  /** Fails if the server has sent a frame that nobody waits for. */
  async quiet() {
    const frame = await this.exchange(call('"quiet"', 'GetTask', { id: 'no such task' }));
    if (JSON.parse(frame).id !== 'quiet') throw new Error(`a frame that nobody waits for: ${frame}`);
  }

  /** How the server closes the connection, and the frames before that. */
  async closed() {
    const frames = [];
    for (let frame; (frame = await this.#wait()) !== undefined;) frames.push(frame);
    return { frames, close: this.#close };
  }

  /** Closes the connection. */
  async close() {
    this.socket.close(1000);
    await this.closed();
  }
}

/** Whether a frame ends a stream. */
function ends(frame) {
  const { streamEnd, error } = JSON.parse(frame);
  return streamEnd === true || error !== undefined;
}

/** The frame of a call. The id is JSON text; more is further members, as text. */
export function call(id, method, params, { serviceParams, more = '' } = {}) {
  const own = JSON.stringify({ 'a2a-version': '1.0', ...serviceParams });
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${JSON.stringify(params)},"serviceParams":${own}${more}}`;
}

/** The frame that leaves a stream, or a call. */
export const cancelStream = (id) => `{"jsonrpc":"2.0","id":${id},"cancelStream":true}`;

/** The frame that lets n more items of a stream come. */
export const streamCredit = (id, n) => `{"jsonrpc":"2.0","id":${id},"streamCredit":${n}}`;
