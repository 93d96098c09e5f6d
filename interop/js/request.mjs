// Requests, from their ProtoJSON, and what is in them.

import { randomUUID } from 'node:crypto';
import { SendMessageRequest } from '@a2a-js/sdk';

/** Text of every length of UTF-8, and what JSON escapes. */
export const unicode = 'příliš 日本語 🦉 𝔘 "quoted" \\ / \u2028 \u0001 <b>&amp;';
/** More than the buffers of any transport. */
export const large = 'x'.repeat(300 * 1024);
/** Every byte there is, in base64. */
export const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i)).toString('base64');
/** A webhook that nobody calls. */
export const hook = 'http://hooks.example/a2a';

/** A message of text, or of parts, and what else its request has. */
export function message(textOrParts, { message: more, ...request } = {}) {
  const parts = typeof textOrParts === 'string' ? [{ text: textOrParts }] : textOrParts;
  return SendMessageRequest.fromJSON({
    message: { messageId: randomUUID(), role: 'ROLE_USER', parts, ...more },
    ...request,
  });
}
