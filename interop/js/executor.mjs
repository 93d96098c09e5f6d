// The agent behind the SDK's server: the commands of the reference agent that
// the SDK leaves an agent the means for.

import { randomUUID } from 'node:crypto';
import { SendMessageRequest, Message, Role, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '@a2a-js/sdk';
import { AgentEvent } from '@a2a-js/sdk/server';

const now = () => new Date().toISOString();

/** One turn of a task, as events on its bus. */
class Turn {
  constructor(context, bus) {
    this.context = context;
    this.bus = bus;
    this.ids = { taskId: context.taskId, contextId: context.contextId };
  }

  /** Every turn begins with its task. */
  task() {
    const { task, userMessage, taskId, contextId } = this.context;
    this.bus.publish(AgentEvent.task(task ?? Task.fromJSON({
      id: taskId,
      contextId,
      status: { state: 'TASK_STATE_SUBMITTED', timestamp: now() },
      history: [Message.toJSON(userMessage)],
    })));
  }

  status(state, text) {
    const message = text && { messageId: randomUUID(), role: 'ROLE_AGENT', parts: [{ text }], ...this.ids };
    this.bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({
      ...this.ids,
      status: { state: 'TASK_STATE_' + state, timestamp: now(), message },
    })));
  }

  artifact(part, { append = false, lastChunk = true } = {}) {
    this.bus.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON({
      ...this.ids,
      artifact: { artifactId: 'artifact', parts: [part] },
      append,
      lastChunk,
    })));
  }
}

const commands = {
  message(turn, text) {
    turn.bus.publish(AgentEvent.message({
      ...Message.fromJSON({ messageId: randomUUID(), contextId: turn.ids.contextId, parts: [{ text }] }),
      role: Role.ROLE_AGENT,
    }));
  },
  stream(turn, n) {
    work(turn, () => {
      for (let i = 1; i <= n; i++) turn.artifact({ text: 'chunk ' + i }, { append: i > 1, lastChunk: i === Number(n) });
    });
  },
  mirror(turn) {
    const { request, context } = turn.context;
    context.requestedExtensions?.forEach((uri) => context.addActivatedExtension(uri));
    work(turn, () => turn.artifact({
      data: {
        params: SendMessageRequest.toJSON(request),
        tenant: context.tenant ?? request.tenant,
        metadata: request.metadata ?? {},
        serviceParameters: { 'a2a-extensions': (context.requestedExtensions ?? []).join(', ') },
      },
    }));
  },
  fail: (turn) => end(turn, 'FAILED', 'It failed, as asked.'),
  reject: (turn) => end(turn, 'REJECTED', 'It was rejected, as asked.'),
  input: (turn) => end(turn, 'INPUT_REQUIRED', 'What shall it be?'),
};

function work(turn, make) {
  turn.task();
  turn.status('WORKING');
  make();
  turn.status('COMPLETED');
}

function end(turn, state, text) {
  turn.task();
  turn.status('WORKING');
  turn.status(state, text);
}

export class Executor {
  /** By task, what ends the wait of a long one. */
  #waits = new Map();

  async execute(context, bus) {
    const turn = new Turn(context, bus);
    const text = context.userMessage.parts.find((p) => p.content?.$case === 'text')?.content.value ?? '';
    const [word] = text.split(' ', 1);
    const rest = text.slice(word.length + 1);
    if (context.task) {
      turn.task();
      turn.artifact({ text: 'got: ' + text });
      turn.status('COMPLETED');
    } else if (word === 'long') {
      await this.#long(turn, Number(rest));
    } else if (Object.hasOwn(commands, word)) {
      commands[word](turn, rest);
    } else {
      work(turn, () => turn.artifact({ text: 'echo: ' + text }));
    }
  }

  async #long(turn, seconds) {
    turn.task();
    turn.status('WORKING');
    const canceled = await new Promise((resolve) => {
      const timer = setTimeout(resolve, seconds * 1000, false);
      this.#waits.set(turn.ids.taskId, () => {
        clearTimeout(timer);
        resolve(true);
      });
    });
    this.#waits.delete(turn.ids.taskId);
    turn.status(canceled ? 'CANCELED' : 'COMPLETED');
  }

  async cancelTask(taskId) {
    this.#waits.get(taskId)?.();
  }
}
