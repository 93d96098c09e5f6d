"""The conversation with an agent that can do everything."""

from uuid import uuid4

from a2a.client import ClientCallContext
from a2a.types import (
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    ListTasksRequest,
    SendMessageResponse,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
)
from google.protobuf.json_format import ParseDict

from report import drain, proto_json, sent, step
from request import EVERY_BYTE, HOOK, LARGE, UNICODE, message, naming

# The errors of spec 3.3.2, and two that every binding has.
FAULTS = [
    'TaskNotFoundError',
    'TaskNotCancelableError',
    'PushNotificationNotSupportedError',
    'UnsupportedOperationError',
    'ContentTypeNotSupportedError',
    'InvalidAgentResponseError',
    'ExtendedAgentCardNotConfiguredError',
    'ExtensionSupportRequiredError',
    'VersionNotSupportedError',
    'InvalidParamsError',
    'InternalError',
]


async def full(peer):
    for part in (cards, sending, mirrors, turns, lists, cancelling, streams, pushing, errors):
        try:
            await part(peer)
        except Exception as e:
            # What a part could not go on without is a step of its name.
            await step(part.__name__, failing(e))


def failing(e):
    async def run(_):
        raise e

    return run


def send(peer, *args, context=None, **kwargs):
    """A step that sends a message and waits for what becomes of it."""
    return lambda _: sent(peer.waiting.send_message(message(*args, **kwargs), context=context))


async def task_of(peer, *args, **kwargs):
    """The task of a message, which the next steps need."""
    return (await sent(peer.waiting.send_message(message(*args, **kwargs)))).task


def get(peer, **fields):
    return lambda _: peer.waiting.get_task(GetTaskRequest(**fields))


def cancel(peer, id):
    return peer.waiting.cancel_task(CancelTaskRequest(id=id))


def subscribe(peer, id, each=None):
    return lambda events: drain(events, peer.streaming.subscribe(SubscribeToTaskRequest(id=id)), each)


async def cards(peer):
    async def card(_):
        extended = await peer.waiting.get_extended_agent_card(GetExtendedAgentCardRequest())
        return {'public': proto_json(await peer.resolve()), 'extended': proto_json(extended)}

    await step('card', card)


async def sending(peer):
    await step('send echo', send(peer, 'echo hello'))
    await step('send message', send(peer, 'message hello'))
    await step('send unicode', send(peer, 'echo ' + UNICODE))
    await step('send large', send(peer, 'echo ' + LARGE))
    await step('send without history', send(peer, 'echo hello', configuration={'historyLength': 0}))
    await step('fail', send(peer, 'fail'))
    await step('reject', send(peer, 'reject'))


async def mirrors(peer):
    def mirror(*parts, **kwargs):
        return send(peer, [{'text': 'mirror'}, *parts], **kwargs)

    await step('mirror raw', mirror({'raw': EVERY_BYTE, 'mediaType': 'application/octet-stream'}))
    await step('mirror data', mirror({'data': {'list': [1, 2.5, None, True, 'x', {'deep': {}}]}}))
    await step('mirror metadata', mirror(metadata={'https://ext.example/k': ['a', 1]}))
    await step('mirror tenant', mirror(tenant='acme'))
    await step('mirror extensions', mirror(context=naming('https://ext.example/geo', 'https://ext.example/cite')))


async def turns(peer):
    for wait in ('input', 'auth'):
        tasks = []

        async def first(_):
            response = await send(peer, wait)(_)
            tasks.append(response.task)
            return response

        await step(wait, first)
        [task] = tasks
        await step(wait + ' answer', send(peer, 'more', message={'taskId': task.id, 'contextId': task.context_id}))
        if wait == 'input':
            await step('history all', get(peer, id=task.id))
            await step('history one', get(peer, id=task.id, history_length=1))
            await step('history none', get(peer, id=task.id, history_length=0))


async def lists(peer):
    context_id = f'context-{uuid4()}'
    for text in ('echo one', 'echo two'):
        last = await task_of(peer, text, message={'contextId': context_id})
    pages = []

    def page(**fields):
        async def run(_):
            pages.append(await peer.waiting.list_tasks(ListTasksRequest(context_id=context_id, **fields)))
            return pages[-1]

        return run

    await step('get', get(peer, id=last.id))
    await step('get unknown', get(peer, id='no such task'))
    await step('list', page(include_artifacts=True))
    await step('list page one', page(page_size=1))
    await step('list page two', page(page_size=1, page_token=pages[-1].next_page_token))
    await step('list by status', page(status='TASK_STATE_FAILED'))
    await step('list too many', page(page_size=1000))
    await step('cancel finished', lambda _: cancel(peer, last.id))
    await step('subscribe finished', subscribe(peer, last.id))


async def cancelling(peer):
    working, canceled = [], []

    async def send_and_return(_):
        response = await send(peer, 'long 60', configuration={'returnImmediately': True})(_)
        working.append(response.task)
        return response

    async def cancel_at_first(_, n):
        if n == 1:
            canceled.append(await cancel(peer, working[0].id))

    async def cancel_outcome(_):
        return SendMessageResponse(task=canceled[0])

    await step('send and return', send_and_return)
    await step('subscribe', subscribe(peer, working[0].id, cancel_at_first))
    await step('cancel', cancel_outcome)
    await step('cancel unknown', lambda _: cancel(peer, 'no such task'))
    await step('subscribe unknown', subscribe(peer, 'no such task'))


async def streams(peer):
    def stream(text, each=None):
        return lambda events: drain(events, peer.streaming.send_message(message(text)), each)

    ids = []

    async def leave_at_second(event, n):
        if n == 1:
            ids.append(event.task.id)
        return n == 2

    await step('stream', stream('stream 3'))
    await step('stream message', stream('message hello'))
    await step('stream large', stream('echo ' + LARGE))
    await step('stream left', stream('long 60', leave_at_second))
    await step('stream left goes on', get(peer, id=ids[0]))
    await cancel(peer, ids[0])


async def pushing(peer):
    task = await task_of(peer, 'input')
    name = {'task_id': task.id, 'id': 'push 1/2'}

    def create(task_id):
        config = ParseDict(
            {
                'taskId': task_id,
                'id': name['id'],
                'url': HOOK,
                'token': 'secret',
                'authentication': {'scheme': 'Bearer', 'credentials': 'abc'},
            },
            TaskPushNotificationConfig(),
        )
        return lambda _: peer.waiting.create_task_push_notification_config(config)

    def get_config(_):
        return peer.waiting.get_task_push_notification_config(GetTaskPushNotificationConfigRequest(**name))

    def list_configs(_):
        return peer.waiting.list_task_push_notification_configs(ListTaskPushNotificationConfigsRequest(task_id=task.id))

    async def delete(_):
        for _ in range(2):
            await peer.waiting.delete_task_push_notification_config(DeleteTaskPushNotificationConfigRequest(**name))

    await step('push create', create(task.id))
    await step('push get', get_config)
    await step('push list', list_configs)
    await step('push delete', delete)
    await step('push list deleted', list_configs)
    await step('push get deleted', get_config)
    await step('push unknown', create('no such task'))
    inline = {'id': 'inline', 'url': HOOK, 'token': 'inline-token'}
    await step('push inline', send(peer, 'echo pushed', configuration={'taskPushNotificationConfig': inline}))


async def errors(peer):
    def stream(text):
        return lambda events: drain(events, peer.streaming.send_message(message(text)))

    for name in FAULTS:
        await step('error ' + name, send(peer, 'error ' + name))
    for name in ('InternalError', 'UnsupportedOperationError'):
        await step('error in stream ' + name, stream('error-after 2 ' + name))
    await step('error before stream', stream('error TaskNotFoundError'))
    await step('missing messageId', send(peer, 'echo', message={'messageId': ''}))
    await step('missing parts', send(peer, []))
    await step('version', send(peer, 'echo', context=ClientCallContext(service_parameters={'A2A-Version': '9.9'})))
