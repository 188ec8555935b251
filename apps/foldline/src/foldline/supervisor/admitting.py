"""Who may wake sessions over the embedded NATS: as the credentials say, from one moment to the next."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager

import structlog

from agent_contracts.errors import Failure
from agent_contracts.log.subjects import WAKE_CREDENTIALS_BUCKET
from agent_domain.wakes.credentials import CredentialsRegister
from agent_platform.log.bucket import bucket
from agent_platform.nats.accounts import WakeUser
from agent_platform.nats.connection import NatsConnection
from agent_platform.process.interruption import Interruption
from agent_platform.services.embedded.nats_server import NatsServer

_AGAIN_S = 1.0
_LOOK_S = 15.0
"""Seconds for which changes are followed before all is looked at anew."""

_log = structlog.get_logger()


@asynccontextmanager
async def admitting(admin: NatsConnection, server: NatsServer) -> AsyncIterator[None]:
    """Let in who has credentials now, and keep that true for as long as the block runs."""
    register = CredentialsRegister(bucket(admin, WAKE_CREDENTIALS_BUCKET))
    users = await register.nats_users()
    server.admit(users)
    following = asyncio.create_task(_follow(register, server, users))
    try:
        yield
    finally:
        following.cancel()
        await asyncio.wait([following])


async def _follow(register: CredentialsRegister, server: NatsServer, known: Sequence[WakeUser]) -> None:
    """If this ended, nobody would be let in any more, and nothing would say so: what fails is tried again."""
    interruption = Interruption("wakes")
    while True:
        try:
            async with aclosing(register.changes()) as changes, asyncio.timeout(_LOOK_S):
                async for users in changes:
                    interruption.over()
                    if users != known:
                        server.admit(users)
                        known = users
                        _log.info("wakes.admitted", services=[user.source for user in users])
        except TimeoutError:  # looked at anew all the same: who is missed once would never be let in
            interruption.over()
            continue
        except Failure as failure:  # while the server is started again
            interruption.hit(failure.message)
        except Exception as error:  # whatever it is: who was given credentials must be let in
            interruption.hit(type(error).__name__, bug=error)
        await asyncio.sleep(_AGAIN_S)
