"""A party of interop/itk on the official SDK: an agent that carries out errands,
and calls the next agent with the SDK's client where one says so.

    python traveller.py

It prints the URL whose well-known path has its card, and ends when its standard
input does. What an errand is says interop/itk/errand_test.go."""

import asyncio
from contextlib import aclosing
from uuid import uuid4

import grpc
import httpx
from a2a.client import ClientConfig, create_client
from a2a.helpers import new_task_from_user_message, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.tasks import BasePushNotificationSender, InMemoryPushNotificationConfigStore, TaskUpdater
from a2a.types import CancelTaskRequest, SendMessageRequest, SubscribeToTaskRequest, TaskState
from google.protobuf.json_format import MessageToDict, ParseDict

from serve import Agent, run

BINDINGS = {'jsonrpc': 'JSONRPC', 'rest': 'HTTP+JSON', 'grpc': 'GRPC'}
HELD = ' (held)'


def told(event):
    """The text of the status message that an event has."""
    which = event.WhichOneof('payload')
    status = getattr(event, which).status
    return ''.join(p.text for p in status.message.parts)


def request(errand, **configuration):
    message = {
        'messageId': str(uuid4()),
        'role': 'ROLE_USER',
        'parts': [{'data': errand, 'mediaType': 'application/json'}],
    }
    return ParseDict({'message': message, 'configuration': configuration}, SendMessageRequest())


async def last(events, until=None):
    """The last text of a stream, or the first that ends so."""
    text = ''
    async with aclosing(events):
        async for event in events:
            text = told(event) or text
            if until and text.endswith(until):
                break
    return text


async def resubscribe(client, errand):
    async with aclosing(client.send_message(request(errand))) as events:
        task = (await anext(events)).task
    text = await last(client.subscribe(SubscribeToTaskRequest(id=task.id)), HELD)
    canceled = await client.cancel_task(CancelTaskRequest(id=task.id))
    if canceled.status.state != TaskState.TASK_STATE_CANCELED:
        raise RuntimeError(f'the task is {canceled.status.state}, and not canceled')
    return text.removesuffix(HELD)


async def call(step):
    errand, hook = step['errand'], step['hook']
    async with httpx.AsyncClient(timeout=15) as http:
        config = ClientConfig(
            httpx_client=http,
            grpc_channel_factory=grpc.aio.insecure_channel,
            supported_protocol_bindings=[BINDINGS[step['transport']]],
            streaming=step['behaviour'] in ('stream', 'resubscribe'),
        )
        async with await create_client(step['card'], client_config=config) as client:
            if step['behaviour'] == 'resubscribe':
                return await resubscribe(client, errand)
            configuration = {}
            if step['behaviour'] == 'push':
                authentication = {'scheme': 'Bearer', 'credentials': hook['token']}
                configuration['taskPushNotificationConfig'] = {'id': 'hook', 'url': hook['url'], 'authentication': authentication}
            return await last(client.send_message(request(errand, **configuration)))


class Traveller(AgentExecutor):
    async def execute(self, context, event_queue):
        turn = TaskUpdater(event_queue, context.task_id, context.context_id)
        say = lambda text: turn.new_agent_message([new_text_part(text)])  # noqa: E731
        await event_queue.enqueue_event(new_task_from_user_message(context.message))
        await turn.start_work()
        try:
            errand = MessageToDict(context.message.parts[0].data)
            text = errand['token']
            if 'next' in errand:
                text += '\n' + await call(errand['next'])
            if errand.get('hold'):
                await turn.start_work(say(text + HELD))
                await asyncio.Event().wait()  # the SDK cancels it
            await turn.complete(say(text))
        except Exception as e:
            await turn.failed(say(f'Python: {e!r}'))

    async def cancel(self, context, event_queue):
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


async def main():
    async with httpx.AsyncClient(timeout=15) as http:
        store = InMemoryPushNotificationConfigStore()
        sender = BasePushNotificationSender(http, store)
        capabilities = {'streaming': True, 'pushNotifications': True}
        agent = Agent('traveller', capabilities, Traveller(), push_config_store=store, push_sender=sender)
        await run([agent], agent.url)


if __name__ == '__main__':
    asyncio.run(main())
