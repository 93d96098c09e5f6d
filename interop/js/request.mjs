// Requests, from their ProtoJSON.

import { randomUUID } from 'node:crypto';
import { SendMessageRequest } from '@a2a-js/sdk';

/** A message of text, or of parts, and what else its request has. */
export function message(textOrParts, { message: more, ...request } = {}) {
  const parts = typeof textOrParts === 'string' ? [{ text: textOrParts }] : textOrParts;
  return SendMessageRequest.fromJSON({
    message: { messageId: randomUUID(), role: 'ROLE_USER', parts, ...more },
    ...request,
  });
}
