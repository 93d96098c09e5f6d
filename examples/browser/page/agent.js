// An A2A agent over its WebSocket binding: many calls and streams on one connection.

const subprotocols = ['a2a.v1.flow', 'a2a.v1'];
const serviceParams = { 'a2a-version': '1.0' };

/** How many items of a stream may be ahead of the page that shows them. */
const streamWindow = 16;

/** An error that the agent answered with. */
export class AgentError extends Error {
  constructor({ code, message, data }) {
    super(message);
    this.code = code;
    this.reason = data?.find?.((detail) => detail.reason)?.reason;
  }
}

export class Agent {
  #socket;
  #calls = new Map(); // by id: what to do with a frame, and with the end of the connection
  #last = 0;

  constructor(url) {
    this.#socket = new WebSocket(url, subprotocols);
    /** Settles when the connection is open, or is not going to be. */
    this.opened = new Promise((resolve, reject) => {
      this.#socket.onopen = () => resolve(this);
      this.#socket.onerror = () => reject(new Error('the agent cannot be reached, or refuses this page'));
    });
    /** Resolves to the CloseEvent when the connection is closed, or never was open. */
    this.closed = new Promise((resolve) => {
      this.#socket.onclose = (event) => {
        const error = new Error(`the connection was closed with ${event.code} ${event.reason}`.trim());
        for (const call of this.#calls.values()) call.failed(error);
        this.#calls.clear();
        resolve(event);
      };
    });
    this.#socket.onmessage = ({ data }) => {
      const frame = JSON.parse(data);
      this.#calls.get(frame.id)?.arrived(frame);
    };
  }

  /** Whether calls can be made. */
  get open() { return this.#socket.readyState === WebSocket.OPEN; }

  /** Whether the agent waits for credits, so that a slow page holds a stream back. */
  get flow() { return this.#socket.protocol === 'a2a.v1.flow'; }

  /** Calls an operation with one answer. */
  call(method, params) {
    return new Promise((resolve, reject) => {
      const id = this.#begin({
        arrived: ({ result, error }) => {
          this.#calls.delete(id);
          if (error) reject(new AgentError(error));
          else resolve(result);
        },
        failed: reject,
      });
      this.#send({ id, method, params, serviceParams });
    });
  }

  /**
   * Calls an operation with a stream of answers. Leaving the loop, or aborting
   * the signal, leaves the stream; the task goes on. The loop throws if the
   * stream does not end well.
   */
  async *stream(method, params, signal) {
    const frames = [];
    let wake = () => {};
    const arrived = (frame) => { frames.push(frame); wake(); };
    const id = this.#begin({ arrived, failed: (lost) => arrived({ lost }) });
    signal?.addEventListener('abort', () => wake());
    this.#send({ id, method, params, serviceParams, ...(this.flow && { streamWindow }) });
    try {
      for (let taken = 0; ;) {
        while (frames.length === 0 && !signal?.aborted) await new Promise((resolve) => { wake = resolve; });
        if (signal?.aborted) return;
        const { result, error, lost, streamEnd } = frames.shift();
        if (lost || error || streamEnd) this.#calls.delete(id);
        else if (result === undefined) continue; // of a kind that is not known
        if (lost) throw lost;
        if (error) throw new AgentError(error);
        if (streamEnd) return;
        yield result;
        const half = streamWindow / 2;
        if (this.flow && ++taken % half === 0) this.#send({ id, streamCredit: half });
      }
    } finally {
      if (this.#calls.delete(id)) this.#send({ id, cancelStream: true });
    }
  }

  #begin(call) {
    if (!this.open) throw new Error('the connection is not open');
    const id = String(++this.#last);
    this.#calls.set(id, call);
    return id;
  }

  #send(frame) {
    if (this.open) this.#socket.send(JSON.stringify({ jsonrpc: '2.0', ...frame }));
  }
}
