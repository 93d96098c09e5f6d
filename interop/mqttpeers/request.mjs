// Requests, as their ProtoJSON.

import { randomUUID } from 'node:crypto';

/** Text of every length of UTF-8, and what JSON escapes. */
export const unicode = 'příliš 日本語 🦉 𝔘 "quoted" \\ / \u2028 \u0001 <b>&amp;';
/** More than the buffers of any transport. */
export const large = 'x'.repeat(300 * 1024);
/** A webhook that nobody calls. */
export const hook = 'https://hooks.example/a2a';

/** A message of text, and what else its request has. */
export function say(text, { message, ...request } = {}) {
  return { message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...message }, ...request };
}

/** A message whose task is answered as it is, while it works. */
export const start = (text, more) => say(text, { configuration: { returnImmediately: true }, ...more });

/** The task in an answer, or in an event. */
export const taskIn = ({ payload }) => JSON.parse(payload).result.task;

/** The errors that the reference agent can be asked for. */
export const faults = [
  'TaskNotFoundError', 'TaskNotCancelableError', 'PushNotificationNotSupportedError', 'UnsupportedOperationError',
  'ContentTypeNotSupportedError', 'InvalidAgentResponseError', 'ExtendedAgentCardNotConfiguredError',
  'ExtensionSupportRequiredError', 'VersionNotSupportedError', 'InvalidRequestError', 'MethodNotFoundError',
  'InvalidParamsError', 'InternalError', 'UnauthenticatedError', 'PermissionDeniedError', 'UnavailableError',
  'ResourceExhaustedError', 'DeadlineExceededError', 'CanceledError',
];
