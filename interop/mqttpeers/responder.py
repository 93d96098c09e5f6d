"""An agent on EMQ's SDK.

    python responder.py HOST PORT ORG UNIT AGENT

It serves until its input ends. The first word of a message says what it does:

    stream N   N status updates with a message, then an artifact
    fail       fails
    hold       goes on until it is canceled
    silent     completes without an artifact

Any other message comes back as an artifact, "echo: " and its text.
"""

import asyncio
import sys

from a2a_over_mqtt import A2ARequest, MqttConfig, Responder, TopicSpace, build_card


class Agent(Responder):
    async def on_request(self, request: A2ARequest, stream) -> str | None:
        word, _, rest = request.text.partition(" ")
        if word == "stream":
            for i in range(int(rest)):
                await stream(f"step {i + 1}")
        elif word == "fail":
            raise RuntimeError("as asked")
        elif word == "hold":
            await asyncio.Event().wait()
        elif word == "silent":
            return None
        return f"echo: {request.text}"


async def main(host: str, port: str, org: str, unit: str, agent: str) -> None:
    serving = asyncio.create_task(Agent(
        agent_id=agent,
        mqtt=MqttConfig(host=host, port=int(port)),
        topics=TopicSpace(org=org, unit=unit),
        card=build_card(name="EMQ", description="An agent on EMQ's SDK", url=f"mqtt://{host}:{port}"),
    ).run())
    await asyncio.to_thread(sys.stdin.read)
    # Before Python 3.12, asyncio.wait_for may lose a cancellation.
    while not serving.done():
        serving.cancel()
        await asyncio.wait([serving], timeout=5)


asyncio.run(main(*sys.argv[1:]))
