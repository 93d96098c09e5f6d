"""Two agents on the official SDK's server: one that can do everything, and one
that has neither streams, nor push notifications, nor an extended card, and
requires an extension.

    python server.py

It prints {"full": URL, "strict": URL}, the addresses whose well-known path has
the agents' cards, and ends when its standard input does."""

import asyncio

from a2a.server.tasks import InMemoryPushNotificationConfigStore

from executor import Executor
from serve import Agent, run

CAPABILITIES = {
    'full': {
        'streaming': True,
        'pushNotifications': True,
        'extendedAgentCard': True,
        'extensions': [{'uri': 'https://ext.example/geo'}, {'uri': 'https://ext.example/cite'}],
    },
    'strict': {'extensions': [{'uri': 'https://ext.example/required', 'required': True}]},
}


async def main():
    agents = {
        'full': Agent('full', CAPABILITIES['full'], Executor(), push_config_store=InMemoryPushNotificationConfigStore()),
        'strict': Agent('strict', CAPABILITIES['strict'], Executor()),
    }
    await run(agents.values(), {name: a.url for name, a in agents.items()})


if __name__ == '__main__':
    asyncio.run(main())
