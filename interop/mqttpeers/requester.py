"""A conversation of EMQ's SDK with an agent.

    python requester.py HOST PORT ORG UNIT AGENT

It prints a line of JSON for each step: {"step", "task", "replies"}, with the id
that the SDK made for the task, and the replies as the SDK gives them, in pairs
of a kind and a text. The SDK makes requests for SendMessage alone; those for
other operations are its own with another method.
"""

import asyncio
import json
import sys
import uuid

from a2a_over_mqtt import A2ARequest, MqttConfig, Requester, TopicSpace

UNICODE = 'příliš 日本語 🦉 𝔘 "quoted" \\ / \u2028 \u0001 <b>&amp;'


def changed(request: A2ARequest, method: str) -> str:
    """The request of another method that takes a message."""
    return json.dumps(json.loads(request.to_json()) | {"method": method})


def about(task_id: str, method: str) -> str:
    """A request about a task."""
    return json.dumps({"jsonrpc": "2.0", "id": "about", "method": method, "params": {"id": task_id}})


class Conversation:
    def __init__(self, host: str, port: str, org: str, unit: str, agent: str):
        self._mqtt = MqttConfig(host=host, port=int(port))
        self._topics = TopicSpace(org=org, unit=unit)
        self._agent = agent

    def requester(self, first: float = 10, idle: float = 10, attempts: int = 1) -> Requester:
        return Requester(
            self._mqtt, self._topics, first_reply_timeout=first, stream_idle_timeout=idle, max_attempts=attempts)

    async def step(self, name: str, payload: str, *, agent: str = "", each=None, **patience) -> None:
        replies = []
        async for kind, text in self.requester(**patience).stream(agent or self._agent, payload, uuid.uuid4().hex[:16]):
            replies.append((kind, text))
            if each:
                await each(kind)
        task = json.loads(payload)["params"].get("message", {}).get("taskId", "")
        print(json.dumps({"step": name, "task": task, "replies": replies}))

    async def say(self, name: str, text: str, **how) -> A2ARequest:
        request = A2ARequest(text=text, request_id=name)
        await self.step(name, request.to_json(), **how)
        return request

    async def stream(self, name: str, text: str, **how) -> None:
        await self.step(name, changed(A2ARequest(text=text, request_id=name), "SendStreamingMessage"), **how)

    async def messages(self) -> None:
        await self.say("send", "echo hello")
        await self.say("send unicode", "echo " + UNICODE)
        await self.say("send large", "echo " + "x" * (300 << 10))
        await self.say("message", "message hello", idle=1)
        await self.say("fail", "fail")
        await self.say("reject", "reject")
        await self.say("error", "error UnsupportedOperationError")
        asked = await self.say("input", "input")
        more = A2ARequest(text="blue", request_id="more", task_id=asked.task_id, context_id=asked.context_id)
        await self.step("next turn", more.to_json())

    async def streams(self) -> None:
        await self.stream("stream", "stream 2")
        await self.stream("stream input", "input")
        await self.stream("stream auth", "auth", idle=1)
        await self.stream("stream error", "error-after 2 InternalError")

    async def tasks(self) -> None:
        known = await self.say("send to get", "echo kept")
        await self.step("get", about(known.task_id, "GetTask"), first=1)
        await self.step("get unknown", about("none", "GetTask"))
        await self.step("cancel ended", about(known.task_id, "CancelTask"))

    async def cancel(self) -> None:
        request = A2ARequest(text="long 60", request_id="long")

        async def cancel(kind: str) -> None:
            if kind == "submitted":
                await self.step("cancel", about(request.task_id, "CancelTask"), first=1)

        await self.step("stream canceled", changed(request, "SendStreamingMessage"), each=cancel)

    async def repetitions(self) -> None:
        await self.requester().send(
            self._agent, A2ARequest(text="echo forgotten", request_id="f").to_json(), uuid.uuid4().hex[:16])
        await self.say("retry", "long 2.5", first=1, attempts=3)
        await self.say("nobody", "echo hello", agent="nobody", first=1)


async def main(*where: str) -> None:
    c = Conversation(*where)
    await asyncio.gather(c.messages(), c.streams(), c.tasks(), c.cancel(), c.repetitions())


asyncio.run(main(*sys.argv[1:]))
