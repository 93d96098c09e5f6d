"""One conversation of the official SDK's client with an agent.

    python client.py CARD-BASE-URL jsonrpc|rest|grpc full|strict

It takes the agent's card, calls every operation over that transport alone, and
prints one line of JSON a step (see report.py). It exits with 0 whatever the
agent answered, and with another status if it crashed."""

import asyncio
import sys
from dataclasses import replace

import grpc
import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory, minimal_agent_card
from a2a.client.transports.grpc import GrpcTransport
from a2a.client.transports.jsonrpc import JsonRpcTransport
from a2a.client.transports.rest import RestTransport

from full import full
from report import PATIENCE
from strict import strict

BINDINGS = {'jsonrpc': 'JSONRPC', 'rest': 'HTTP+JSON', 'grpc': 'GRPC'}
CONVERSATIONS = {'full': full, 'strict': strict}


class Peer:
    """The SDK's clients of one agent over one transport."""

    def __init__(self, http, url, card, binding):
        config = ClientConfig(
            httpx_client=http,
            grpc_channel_factory=grpc.aio.insecure_channel,
            supported_protocol_bindings=[binding],
        )
        self.url, self.http, self.config, self.card, self.binding = url, http, config, card, binding
        # The client sends messages with a stream where it can, or never.
        self.streaming = ClientFactory(config).create(card)
        self.waiting = ClientFactory(replace(config, streaming=False)).create(card)

    def wire(self):
        """A transport alone, which asks for what the card rules out. It asks for
        the extended card only where a card has it, as this one says."""
        [url] = [i.url for i in self.card.supported_interfaces if i.protocol_binding == self.binding]
        card = minimal_agent_card(url, [self.binding])
        if self.binding == 'GRPC':
            return GrpcTransport.create(card, url, self.config)
        return {'JSONRPC': JsonRpcTransport, 'HTTP+JSON': RestTransport}[self.binding](self.http, card, url)

    async def resolve(self):
        return await A2ACardResolver(self.http, self.url).get_agent_card()


async def main(url, transport, mode):
    binding, converse = BINDINGS[transport], CONVERSATIONS[mode]
    async with httpx.AsyncClient(timeout=PATIENCE) as http:
        card = await A2ACardResolver(http, url).get_agent_card()
        peer = Peer(http, url, card, binding)
        async with peer.streaming, peer.waiting:
            await converse(peer)


if __name__ == '__main__':
    asyncio.run(main(*sys.argv[1:]))
