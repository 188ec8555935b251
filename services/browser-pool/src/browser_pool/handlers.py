"""What to do with the messages that reach a browser pool over core NATS."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog
from nats.aio.msg import Msg

from agent_contracts.errors import Failure, Rejected
from agent_contracts.ids import SessionId
from agent_contracts.subjects import parse_cancellation
from agent_tools.running.handlers import ToolCalls
from browser_pool.contexts.contexts import Contexts

ENDED = "the session ended, or its conversation was rolled back"

log = structlog.get_logger()

Heard = Callable[[Msg], Awaitable[None]]


def stopping(calls: ToolCalls, contexts: Contexts) -> tuple[Heard, Heard]:
    """What to do when the engine tells that nobody waits any more, and when a session was erased."""
    ending: set[asyncio.Task[None]] = set()

    def end(session: SessionId) -> None:
        async def closing() -> None:
            try:
                await contexts.end(session, ENDED)
            except Failure as failure:
                log.warning("context.not_given_back", session_id=session, reason=failure.message)

        task = asyncio.create_task(closing())
        ending.add(task)
        task.add_done_callback(ending.discard)

    async def stop(message: Msg) -> None:
        try:
            session, call = parse_cancellation(message.subject, message.data)
        except Rejected as error:
            log.warning("cancellation.unreadable", subject=message.subject, reason=str(error))
            return
        calls.stop(session, call)
        if call is None:
            end(session)

    async def erased(message: Msg) -> None:
        end(SessionId(message.subject.rpartition(".")[2]))

    return stop, erased
