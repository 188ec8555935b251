"""What to do with the messages that reach the gateway over core NATS."""

from collections.abc import Awaitable, Callable

import msgspec
import structlog
from nats.aio.msg import Msg

from agent_contracts.questions.queries import Delta
from gateway.live.feed import Feed

log = structlog.get_logger()


def deltas_to(feed: Feed) -> Callable[[Msg], Awaitable[None]]:
    """Hands each piece of a streaming answer to those who watch its session. Nothing depends on it."""

    async def hand_out(message: Msg) -> None:
        try:
            feed.hand_out_delta(msgspec.json.decode(message.data, type=Delta))
        except msgspec.DecodeError as error:
            log.warning("delta.unreadable", subject=message.subject, reason=str(error))

    return hand_out
