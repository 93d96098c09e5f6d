"""The agent behind the SDK's server: the commands of the reference agent that
the SDK leaves an agent the means for."""

import asyncio
from uuid import uuid4

from a2a.helpers import new_data_part, new_task_from_user_message, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.tasks import TaskUpdater
from a2a.types import Message, Role, TaskState
from google.protobuf.json_format import MessageToDict


class Turn(TaskUpdater):
    """One turn of a task, as events in its queue."""

    def __init__(self, context, queue):
        super().__init__(queue, context.task_id, context.context_id)
        self.context = context

    async def begin(self):
        """A task's first turn begins with the task."""
        if self.context.current_task is None:
            await self.event_queue.enqueue_event(new_task_from_user_message(self.context.message))

    async def work(self, *parts):
        """A turn that makes one artifact in so many chunks."""
        await self.begin()
        await self.start_work()
        for i, part in enumerate(parts):
            await self.add_artifact([part], artifact_id='artifact', append=i > 0, last_chunk=i == len(parts) - 1)
        await self.complete()

    async def end(self, state, text):
        """A turn that makes nothing, and says why."""
        await self.begin()
        await self.start_work()
        await self.update_status(state, self.new_agent_message([new_text_part(text)]))


async def message(turn, text):
    answer = Message(
        message_id=str(uuid4()), context_id=turn.context_id, role=Role.ROLE_AGENT, parts=[new_text_part(text)]
    )
    await turn.event_queue.enqueue_event(answer)


async def stream(turn, n):
    await turn.work(*(new_text_part(f'chunk {i}') for i in range(1, int(n) + 1)))


async def mirror(turn, _):
    context = turn.context
    await turn.work(
        new_data_part(
            {
                'params': {'message': MessageToDict(context.message)},
                'tenant': context.tenant,
                'metadata': context.metadata,
                'serviceParameters': {'a2a-extensions': ', '.join(sorted(context.requested_extensions))},
            }
        )
    )


async def long(turn, seconds):
    """Work that takes its time. The SDK cancels it."""
    await turn.begin()
    await turn.start_work()
    await asyncio.sleep(float(seconds))
    await turn.complete()


COMMANDS = {
    'message': message,
    'stream': stream,
    'mirror': mirror,
    'long': long,
    'fail': lambda turn, _: turn.end(TaskState.TASK_STATE_FAILED, 'It failed, as asked.'),
    'reject': lambda turn, _: turn.end(TaskState.TASK_STATE_REJECTED, 'It was rejected, as asked.'),
    'input': lambda turn, _: turn.end(TaskState.TASK_STATE_INPUT_REQUIRED, 'What shall it be?'),
}


class Executor(AgentExecutor):
    async def execute(self, context, event_queue):
        turn = Turn(context, event_queue)
        text = context.get_user_input()
        word, _, rest = text.partition(' ')
        if context.current_task:
            await turn.work(new_text_part('got: ' + text))
        elif word in COMMANDS:
            await COMMANDS[word](turn, rest)
        else:
            await turn.work(new_text_part('echo: ' + text))

    async def cancel(self, context, event_queue):
        await Turn(context, event_queue).cancel()
