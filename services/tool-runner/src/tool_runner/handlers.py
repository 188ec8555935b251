"""What to do with the messages that reach a tool runner over core NATS besides questions."""

from collections.abc import Awaitable, Callable

import structlog
from nats.aio.msg import Msg

from agent_contracts.errors import Rejected
from agent_contracts.log.subjects import parse_cancellation
from agent_tools.running.handlers import ToolCalls

log = structlog.get_logger()


def cancellations_to(calls: ToolCalls) -> Callable[[Msg], Awaitable[None]]:
    """What to do when the engine tells that nobody waits any more."""

    async def stop(message: Msg) -> None:
        try:
            session, call = parse_cancellation(message.subject, message.data)
        except Rejected as error:
            log.warning("cancellation.unreadable", subject=message.subject, reason=str(error))
            return
        calls.stop(session, call)

    return stop
