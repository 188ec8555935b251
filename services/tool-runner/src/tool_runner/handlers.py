"""What to do with the messages that reach a tool runner over core NATS besides questions."""

from collections.abc import Awaitable, Callable

import structlog
from nats.aio.msg import Msg

from agent_contracts.errors import Rejected
from agent_contracts.ids import CallId, SessionId, check_id
from agent_tools.running.handlers import ToolCalls

log = structlog.get_logger()


def cancellations_to(calls: ToolCalls) -> Callable[[Msg], Awaitable[None]]:
    """What to do when the engine tells: the subject ends with the session, the body is a call or empty."""

    async def stop(message: Msg) -> None:
        try:
            session = SessionId(check_id(message.subject.rsplit(".", 1)[1], "session id"))
            call = CallId(check_id(message.data.decode(), "call id")) if message.data else None
        except (Rejected, UnicodeDecodeError) as error:
            log.warning("cancellation.unreadable", subject=message.subject, reason=str(error))
            return
        calls.stop(session, call)

    return stop
