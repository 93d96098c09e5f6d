// What the server of the proposal answers.
//
//   close CODE   closes the connection, behind two events of a stream
//   vanish       ends the connection without closing it, in the same way
//   refuse       answers with an error, behind two events of a stream
//   version      answers as the proposal has it for a version that is not spoken
//   garbage      answers with text that is not JSON
//   handshake    answers with the headers that the connection was opened with
//   stream N     streams N chunks of an artifact
//   hold         streams two events, and no more
//
// Another message comes back. GetTask of the id "reauthenticate" is answered
// when the client has authenticated anew.

const task = (id, state = 'TASK_STATE_WORKING') => ({ id, contextId: 'c-1', status: { state } });
const reply = (text) => ({ message: { messageId: 'r-1', role: 'ROLE_AGENT', parts: [{ text }] } });
const update = (state) => ({ statusUpdate: { taskId: 't-1', contextId: 'c-1', status: { state } } });
const chunk = (i, n) => ({
  artifactUpdate: {
    taskId: 't-1', contextId: 'c-1', append: i > 1, lastChunk: i === n,
    artifact: { artifactId: 'a-1', parts: [{ text: `chunk ${i}` }] },
  },
});
const card = {
  name: 'proposal', description: 'A server of the proposal.', version: '1.0.0',
  supportedInterfaces: [{ protocolBinding: 'WEBSOCKET', protocolVersion: '1.0', url: 'wss://proposal.example/a2a' }],
  capabilities: { streaming: true }, defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'],
  skills: [{ id: 's', name: 's', description: 's', tags: ['test'] }],
};
const refusal = JSON.stringify({
  code: -32004, message: 'the agent will not',
  data: [{
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'UNSUPPORTED_OPERATION', domain: 'a2a-protocol.org',
    metadata: { said: 'by hand' },
  }],
});

const give = (result) => ({ id, params }, { send }) => send(id, `"result":${JSON.stringify(result(params))}`);
const words = ({ params }) => params.message.parts[0].text.split(' ');

/** What a message of either kind may ask for. */
const asked = {
  close: ({ socket }, _, code) => socket.close(Number(code), 'as asked'),
  vanish: ({ socket }) => socket.terminate(),
  garbage: ({ socket }) => socket.send('{"jsonrpc":'),
  refuse: ({ send }, { id }) => send(id, `"error":${refusal}`),
  version: ({ send, socket }, { id }) => {
    send(id, '"error":{"code":-32009,"message":"version 1.0 is not spoken"}');
    socket.close(4002, 'version');
  },
};

/** The methods with one answer. */
export const answers = {
  SendMessage: (frame, context) => {
    const [word, ...args] = words(frame);
    if (asked[word]) return asked[word](context, frame, ...args);
    const { 'sec-websocket-protocol': offered, 'a2a-version': version, authorization } = context.request.headers;
    const text = word === 'handshake' ? JSON.stringify({ offered, version, authorization }) : [word, ...args].join(' ');
    give(() => reply(text))(frame, context);
  },
  GetTask: (frame, context) => {
    if (frame.params.id === 'reauthenticate') {
      context.left.set('authenticated', (credentials) => give(() => task(credentials))(frame, context));
      context.socket.send('{"jsonrpc":"2.0","control":"ReauthenticationRequired","params":{"graceMs":5000}}');
      return;
    }
    give(({ id }) => task(id))(frame, context);
  },
  Authenticate: (frame, context) => {
    context.send(frame.id, '"result":{}');
    context.left.get('authenticated')?.(`${frame.params.scheme} ${frame.params.credentials}`);
  },
  CancelTask: give(({ id }) => task(id, 'TASK_STATE_CANCELED')),
  ListTasks: give(() => ({ tasks: [task('t-1')], nextPageToken: '', pageSize: 50, totalSize: 1 })),
  CreateTaskPushNotificationConfig: give((config) => config),
  GetTaskPushNotificationConfig: give((named) => ({ ...named, url: 'https://hooks.example/a2a' })),
  ListTaskPushNotificationConfigs: give(({ taskId }) => ({ configs: [{ taskId, id: 'p-1', url: 'https://hooks.example/a2a' }] })),
  DeleteTaskPushNotificationConfig: give(() => ({})),
  GetExtendedAgentCard: give(() => card),
};

/** The methods with a stream of answers. */
export const events = {
  SendStreamingMessage: (frame, context) => {
    const item = (event) => give(() => event)(frame, context);
    const end = () => context.send(frame.id, '"streamEnd":true');
    const [word, ...args] = words(frame);
    item({ task: task('t-1', 'TASK_STATE_SUBMITTED') });
    item(update('TASK_STATE_WORKING'));
    if (asked[word]) return asked[word](context, frame, ...args);
    if (word === 'hold') return context.left.set(frame.id, end);
    const n = Number(args[0] ?? 0);
    for (let i = 1; i <= n; i++) item(chunk(i, n));
    item(update('TASK_STATE_COMPLETED'));
    end();
  },
  SubscribeToTask: (frame, context) => {
    give(({ id }) => ({ task: task(id) }))(frame, context);
    give(() => update('TASK_STATE_COMPLETED'))(frame, context);
    context.send(frame.id, '"streamEnd":true');
  },
};
