"""A new token for the gateway while everything runs: asked for over NATS, by who may do everything there."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import msgspec
import structlog
from nats.aio.msg import Msg

from agent_contracts.errors import Failure, Rejected
from agent_platform.nats.connection import NatsConnection
from foldline.supervisor.announcement import Announcement

_SUBJECT = "supervisor.rotate_token"
_PATIENCE_S = 90.0

_log = structlog.get_logger()


class RotationAnswer(msgspec.Struct, frozen=True):
    """The gateway's new token and the link with it, if it runs; or why there is none."""

    token: str = ""
    link: str | None = None
    refused: str | None = None


@asynccontextmanager
async def token_rotated_when_asked(
    admin: NatsConnection, rotate: Callable[[], Awaitable[Announcement]]
) -> AsyncIterator[None]:
    """Answer requests for a new token while the block runs, one after the other."""
    turns = asyncio.Lock()

    async def asked(message: Msg) -> None:
        async with turns:
            try:
                said = await rotate()
                answer = RotationAnswer(token=said.token, link=said.link)
                _log.warning("token.rotated")
            except Failure as failure:
                answer = RotationAnswer(refused=failure.message)
        await admin.publish(message.reply, msgspec.json.encode(answer))

    subscription = await admin.subscribe(_SUBJECT, asked)
    try:
        yield
    finally:
        await admin.unsubscribe(subscription)


async def rotated(admin: NatsConnection) -> RotationAnswer:
    """Ask the Foldline that runs. `Rejected` with its reason, `Transient` if it doesn't answer."""
    answer = await admin.request(_SUBJECT, timeout=_PATIENCE_S)
    found = msgspec.json.decode(answer.data, type=RotationAnswer)
    if found.refused is not None:
        raise Rejected(found.refused, kind="refused")
    return found


def token_is_set(source: str) -> Rejected:
    """Why a token that a person chose isn't changed."""
    return Rejected(
        f"The token is set by {source}: write a new one there, of `openssl rand -hex 16`, and start Foldline "
        "again. The old one counts until then",
        kind="bad_setting",
    )
