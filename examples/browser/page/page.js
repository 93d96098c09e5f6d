// The page: a conversation with one agent, shown as it happens.
//
// The agent is at the path ws beside the page, or where the page's query says:
// ?agent=wss://agent.example/ws

import { Agent } from './agent.js';

const terminal = ['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'];
const element = (id) => document.getElementById(id);

let agent;
let contextId; // of the conversation
let task; // of the last message: its id, until it has ended
let stream; // that the page listens to: what aborts it

/** Adds a line to the conversation. */
function show(kind, text) {
  const line = document.createElement('li');
  line.dataset.kind = kind;
  if (kind === 'error') line.setAttribute('role', 'alert');
  line.append(Object.assign(document.createElement('b'), { textContent: kind }), ' ', text);
  element('lines').append(line);
  element('events').scrollTop = element('events').scrollHeight;
}

const texts = (parts = []) => parts.map((part) => part.text ?? JSON.stringify(part.data ?? part)).join('');

/** Shows a task's status, which may come with a message. */
function showStatus(kind, id, status) {
  const state = status.state.replace('TASK_STATE_', '');
  task = terminal.includes(state) ? undefined : id;
  element('task').dataset.state = state;
  element('task').value = `${state.toLowerCase().replace('_', ' ')} (${id})`;
  show(kind, [state, texts(status.message?.parts)].filter(Boolean).join(': '));
}

/** Shows one item of a stream. */
function showItem({ task: begun, message, statusUpdate, artifactUpdate }) {
  contextId = (begun ?? message ?? statusUpdate ?? artifactUpdate)?.contextId || contextId;
  if (begun) showStatus('task', begun.id, begun.status);
  if (message) show('message', texts(message.parts));
  if (statusUpdate) showStatus('status', statusUpdate.taskId, statusUpdate.status);
  if (artifactUpdate) show('artifact', texts(artifactUpdate.artifact.parts));
}

/** Lets the user do what can be done now. */
function refresh() {
  element('send').disabled = stream && !task; // whose message it is, is about to be known
  element('cancel').disabled = !task || !agent?.open;
  element('leave').disabled = !stream;
}

function showConnection(is, text) {
  element('connection').dataset.is = is;
  element('connection').value = text;
  refresh();
}

/** The agent, to which there is a connection. */
async function connected() {
  if (!agent?.open) {
    const url = new URL(new URLSearchParams(location.search).get('agent') ?? 'ws', location);
    url.protocol = url.protocol.replace('http', 'ws');
    url.search = '';
    showConnection('connecting', `connecting to ${url}`);
    const dialed = agent = new Agent(url);
    dialed.closed.then(({ code, reason }) => {
      if (agent === dialed) showConnection('closed', ['closed with', code, reason].join(' ').trim());
    });
    await dialed.opened;
    showConnection('open', `${url}, ${agent.flow ? 'with' : 'without'} flow control`);
  }
  return agent;
}

/** Does something that may fail, and shows why it did. */
async function attempt(doing) {
  try {
    await doing();
  } catch (error) {
    show('error', [error.reason ?? error.code, error.message].filter(Boolean).join(': '));
  } finally {
    refresh();
  }
}

/** Shows the stream of an operation until it ends or is left. */
async function listen(to, method, params) {
  stream = new AbortController();
  refresh();
  try {
    for await (const item of to.stream(method, params, stream.signal)) {
      showItem(item);
      refresh();
    }
  } finally {
    stream = undefined;
  }
}

/** Sends a message: to the task that is not over yet, or for a new one. */
async function say(text) {
  const messageId = [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, '0')).join('');
  const message = { messageId, role: 'ROLE_USER', parts: [{ text }], contextId, taskId: task };
  show('you', text);
  const to = await connected();
  if (stream) { // shows what comes of it
    await to.call('SendMessage', { message, configuration: { returnImmediately: true } });
    return;
  }
  await listen(to, 'SendStreamingMessage', { message });
}

element('form').addEventListener('submit', (event) => {
  event.preventDefault();
  const { value } = element('text');
  element('text').select();
  attempt(() => say(value));
});
element('cancel').addEventListener('click', () => attempt(async () => {
  const id = task;
  const canceled = await (await connected()).call('CancelTask', { id });
  if (!stream) showStatus('task', id, canceled.status);
}));
element('leave').addEventListener('click', () => stream.abort());

attempt(connected);
