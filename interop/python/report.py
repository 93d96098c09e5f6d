"""What a conversation prints: {"step", "ok": true, "result"}, or {"step",
"error": {"name", "reason", "code", "message", "metadata"}, "result"} with the
events of a stream before it failed. Results are ProtoJSON."""

import asyncio
import json
import traceback
from contextlib import aclosing

import grpc
import httpx
from a2a.types import SendMessageResponse
from a2a.utils.errors import A2A_ERROR_REASONS
from google.protobuf.json_format import MessageToDict

# How long one step may take, in seconds.
PATIENCE = 15


async def step(name, run):
    """Runs one step and prints what came of it. What the coroutine function
    gives is the result, a message or ProtoJSON; one that gives nothing reports
    the events that it put into its argument."""
    events = []
    try:
        async with asyncio.timeout(PATIENCE):
            result = await run(events)
        show({'step': name, 'ok': True, 'result': events if result is None else proto_json(result)})
    except Exception as e:
        show({'step': name, 'error': describe(e), 'result': events})


def show(line):
    print(json.dumps(line), flush=True)


def proto_json(result):
    """A message as ProtoJSON."""
    return MessageToDict(result) if hasattr(result, 'DESCRIPTOR') else result


def describe(e):
    """An error of the SDK. It tells reasons apart by its types alone."""
    reason = A2A_ERROR_REASONS.get(type(e), '')
    data = getattr(e, 'data', None) or {}
    return {
        'name': type(e).__name__,
        'reason': reason,
        'code': code(e.__cause__),
        'message': str(e),
        # Its gRPC transport puts a list of the fields that are wrong there.
        'metadata': {k: v for k, v in data.items() if isinstance(v, str)},
        'stack': '' if reason else ''.join(traceback.format_exception(e)),
    }


def code(cause):
    """The code on the wire, which the SDK keeps with the cause, or not."""
    if isinstance(cause, httpx.HTTPStatusError):
        return cause.response.status_code
    if isinstance(cause, grpc.aio.AioRpcError):
        return cause.code().value[0]
    return 0


async def sent(events):
    """The one event of a message that was sent without a stream, as the
    SendMessageResponse it came in."""
    [event] = [e async for e in events]
    if event.HasField('task'):
        return SendMessageResponse(task=event.task)
    return SendMessageResponse(message=event.message)


async def drain(into, stream, each=None):
    """Puts the events of a stream into a list, and calls each(event, how many
    there are). The stream is left where that gives True."""
    async with aclosing(stream):
        async for event in stream:
            into.append(proto_json(event))
            if each and await each(event, len(into)):
                return
