// What a conversation prints: {"step", "ok": true, "result"}, or {"step",
// "error": {"name", "reason", "code", "message", "metadata"}, "result"} with
// the events of a stream before it failed. Results are ProtoJSON.

import { Message, StreamResponse, Task } from '@a2a-js/sdk';
import { ERROR_INFO_TYPE } from '@a2a-js/sdk/errors';

/** How long one call may take, in milliseconds. */
const patience = 15_000;

/** Options of a call that ends when it takes too long. */
export function within(serviceParameters) {
  return { signal: AbortSignal.timeout(patience), ...(serviceParameters && { serviceParameters }) };
}

/**
 * Runs one step and prints what came of it. What the function gives is the
 * result; one that gives nothing reports the events it put into its argument.
 */
export async function step(name, run) {
  const events = [];
  try {
    const result = await run(events);
    print({ step: name, ok: true, result: result ?? events });
  } catch (e) {
    print({ step: name, error: describe(e), result: events });
  }
}

function print(line) {
  process.stdout.write(JSON.stringify(line) + '\n');
}

/** An error of the SDK. One that it wrapped in another is reported for it. */
function describe(e) {
  const inner = e.reason === undefined && e.cause?.reason !== undefined ? e.cause : e;
  return {
    name: inner.name,
    reason: inner.reason,
    code: inner.envelopeCode ?? inner.statusCode ?? inner.status,
    message: inner.message,
    metadata: inner.metadata ?? inner.data?.find?.((d) => d['@type'] === ERROR_INFO_TYPE)?.metadata,
    stack: inner.reason === undefined ? e.stack : undefined,
  };
}

/** A Task or Message as the SendMessageResponse it came in. */
export function sent(result) {
  return 'messageId' in result ? { message: Message.toJSON(result) } : { task: Task.toJSON(result) };
}

/** Puts the events of a stream into a list, and calls each(event, how many there are). */
export async function drain(events, stream, each) {
  for await (const event of stream) {
    events.push(StreamResponse.toJSON(event));
    if ((await each?.(event, events.length)) === 'leave') return;
  }
}
