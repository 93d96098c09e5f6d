"""Two agents on the official SDK's server, each over JSON-RPC, HTTP+JSON and
gRPC at free loopback ports: one that can do everything, and one that has neither
streams, nor push notifications, nor an extended card, and requires an extension.

    python server.py

It prints {"full": URL, "strict": URL}, the addresses whose well-known path has
the agents' cards, and ends when its standard input does."""

import asyncio
import json
import socket
import sys

import grpc
import uvicorn
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryPushNotificationConfigStore, InMemoryTaskStore
from a2a.types import AgentCard
from a2a.types.a2a_pb2_grpc import add_A2AServiceServicer_to_server
from google.protobuf.json_format import ParseDict
from starlette.applications import Starlette
from starlette.routing import Mount

from executor import Executor

CAPABILITIES = {
    'full': {
        'streaming': True,
        'pushNotifications': True,
        'extendedAgentCard': True,
        'extensions': [{'uri': 'https://ext.example/geo'}, {'uri': 'https://ext.example/cite'}],
    },
    'strict': {'extensions': [{'uri': 'https://ext.example/required', 'required': True}]},
}


def card(name, interfaces, *skills):
    fields = {
        'name': name,
        'description': 'An agent on the official Python SDK.',
        'version': '1.0.0',
        'capabilities': CAPABILITIES[name],
        'supportedInterfaces': [
            {'protocolBinding': binding, 'url': url, 'protocolVersion': '1.0'} for binding, url in interfaces.items()
        ],
        'defaultInputModes': ['text/plain'],
        'defaultOutputModes': ['text/plain'],
        'skills': [{'id': s, 'name': s, 'description': s, 'tags': ['test']} for s in skills],
    }
    return ParseDict(fields, AgentCard())


def listen():
    # asyncio sends small packets at once where the socket names its protocol.
    s = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    s.bind(('127.0.0.1', 0))
    s.listen(64)
    return s


class Agent:
    """One of the two, on its servers."""

    def __init__(self, name):
        self.socket = listen()
        self.url = f'http://127.0.0.1:{self.socket.getsockname()[1]}'
        self.grpc = grpc.aio.server()
        interfaces = {
            'JSONRPC': self.url + '/jsonrpc',
            'HTTP+JSON': self.url + '/rest',
            'GRPC': f'127.0.0.1:{self.grpc.add_insecure_port("127.0.0.1:0")}',
        }
        public = card(name, interfaces, 'echo')
        handler = DefaultRequestHandler(
            agent_executor=Executor(),
            task_store=InMemoryTaskStore(),
            agent_card=public,
            push_config_store=InMemoryPushNotificationConfigStore() if public.capabilities.push_notifications else None,
            extended_agent_card=card(name, interfaces, 'echo', 'more') if public.capabilities.extended_agent_card else None,
        )
        add_A2AServiceServicer_to_server(GrpcHandler(handler), self.grpc)
        routes = [
            *create_agent_card_routes(public),
            *create_jsonrpc_routes(handler, '/jsonrpc'),
            # With its path_prefix, a tenant's paths are /{tenant}/rest/…, below no
            # URL that a card could have.
            Mount('/rest', routes=create_rest_routes(handler)),
        ]
        self.http = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), log_level='error', timeout_graceful_shutdown=1))

    async def serve(self):
        await self.grpc.start()
        await self.http.serve(sockets=[self.socket])
        await self.grpc.stop(0)


async def main():
    agents = {name: Agent(name) for name in CAPABILITIES}
    serving = [asyncio.create_task(a.serve()) for a in agents.values()]
    print(json.dumps({name: a.url for name, a in agents.items()}), flush=True)
    await asyncio.to_thread(sys.stdin.read)
    for a in agents.values():
        a.http.should_exit = True
    await asyncio.gather(*serving)


if __name__ == '__main__':
    asyncio.run(main())
