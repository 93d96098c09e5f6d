"""The conversation with an agent that has neither streams, nor push
notifications, nor an extended card, and requires an extension. The SDK's client
asks no agent for some of what its card rules out, its transport does."""

from a2a.types import (
    DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigsRequest,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
)

from report import drain, sent, step
from request import HOOK, LARGE, message, naming


async def strict(peer):
    client, wire = peer.streaming, peer.wire()
    required = naming('https://ext.example/required')

    def send(*args, context=required, **kwargs):
        return lambda _: sent(client.send_message(message(*args, **kwargs), context=context))

    responses = []

    async def first(_):
        responses.append(await send('echo hello')(_))
        return responses[0]

    await step('strict send', first)
    task_id = responses[0].task.id
    await step('strict large', send('echo ' + LARGE))
    await step('strict unnamed', send('echo hello', context=None))
    await step(
        'strict stream falls back',
        lambda events: drain(events, client.send_message(message('echo hello'), context=required)),
    )
    await step(
        'strict stream',
        lambda events: drain(events, wire.send_message_streaming(message('echo hello'), context=required)),
    )
    await step(
        'strict subscribe',
        lambda events: drain(events, wire.subscribe(SubscribeToTaskRequest(id=task_id), context=required)),
    )
    await step('strict card', lambda _: wire.get_extended_agent_card(GetExtendedAgentCardRequest(), context=required))

    config = TaskPushNotificationConfig(task_id=task_id, id='p', url=HOOK)
    name = {'task_id': task_id, 'id': 'p'}
    await step('strict push by client', lambda _: client.create_task_push_notification_config(config, context=required))
    await step('strict push create', lambda _: wire.create_task_push_notification_config(config, context=required))
    await step(
        'strict push get',
        lambda _: wire.get_task_push_notification_config(
            GetTaskPushNotificationConfigRequest(**name), context=required
        ),
    )
    await step(
        'strict push list',
        lambda _: wire.list_task_push_notification_configs(
            ListTaskPushNotificationConfigsRequest(task_id=task_id), context=required
        ),
    )
    await step(
        'strict push delete',
        lambda _: wire.delete_task_push_notification_config(
            DeleteTaskPushNotificationConfigRequest(**name), context=required
        ),
    )
    await step('strict push inline', send('echo hello', configuration={'taskPushNotificationConfig': {'url': HOOK}}))
