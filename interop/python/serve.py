"""An agent on the official SDK's server, over JSON-RPC, HTTP+JSON and gRPC at
free loopback ports."""

import asyncio
import json
import socket
import sys

import grpc
import uvicorn
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCard
from a2a.types.a2a_pb2_grpc import add_A2AServiceServicer_to_server
from google.protobuf.json_format import ParseDict
from starlette.applications import Starlette
from starlette.routing import Mount


def card(name, capabilities, interfaces, *skills):
    fields = {
        'name': name,
        'description': 'An agent on the official Python SDK.',
        'version': '1.0.0',
        'capabilities': capabilities,
        'supportedInterfaces': [
            {'protocolBinding': binding, 'url': url, 'protocolVersion': '1.0'} for binding, url in interfaces.items()
        ],
        'defaultInputModes': ['text/plain', 'application/json'],
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
    """An agent on its servers. What the handler takes beside the executor and the
    tasks is given by name."""

    def __init__(self, name, capabilities, executor, **more):
        self.socket = listen()
        self.url = f'http://127.0.0.1:{self.socket.getsockname()[1]}'
        self.grpc = grpc.aio.server()
        interfaces = {
            'JSONRPC': self.url + '/jsonrpc',
            'HTTP+JSON': self.url + '/rest',
            'GRPC': f'127.0.0.1:{self.grpc.add_insecure_port("127.0.0.1:0")}',
        }
        public = card(name, capabilities, interfaces, 'echo')
        handler = DefaultRequestHandler(
            agent_executor=executor,
            task_store=InMemoryTaskStore(),
            agent_card=public,
            extended_agent_card=card(name, capabilities, interfaces, 'echo', 'more') if public.capabilities.extended_agent_card else None,
            **more,
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


async def run(agents, said):
    """Serves agents until the standard input ends, having said something."""
    serving = [asyncio.create_task(a.serve()) for a in agents]
    print(json.dumps(said), flush=True)
    await asyncio.to_thread(sys.stdin.read)
    for a in agents:
        a.http.should_exit = True
    await asyncio.gather(*serving)
