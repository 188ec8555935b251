"""What to do with the messages that reach a browser pool over core NATS."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog
from nats.aio.msg import Msg

from agent_contracts.errors import Failure, Rejected
from agent_contracts.ids import SessionId
from agent_contracts.log.subjects import parse_cancellation
from agent_contracts.questions.code_calls import CodeCall
from agent_platform.services.consuming.consumer import Handler
from agent_tools.running.code_calls import CodeCalls
from agent_tools.running.handlers import ToolCalls
from browser_pool.contexts.contexts import Contexts
from browser_pool.handing_over.hand_overs import HandOvers

ENDED = "the session ended, or its conversation was rewound"

log = structlog.get_logger()

Heard = Callable[[Msg], Awaitable[None]]
Forget = Callable[[str], Awaitable[None]]


@dataclass(frozen=True)
class Work:
    """What is done for a session whose context is here: a request of the log is handled, what code asked is
    answered."""

    delivered: Handler
    asked: Callable[[CodeCall], Awaitable[bytes]]


def stopping(
    calls: ToolCalls, of_code: CodeCalls, contexts: Contexts, hand_overs: HandOvers
) -> tuple[Heard, Forget]:
    """What to do when the engine tells that nobody waits any more, and when a session was erased."""
    ending: set[asyncio.Task[None]] = set()

    async def closing(session: SessionId) -> None:
        try:
            await hand_overs.end(session)
            await contexts.end(session, ENDED)
        except Failure as failure:
            log.warning("context.not_given_back", session_id=session, reason=failure.message)

    def end(session: SessionId) -> None:
        keep(asyncio.create_task(closing(session)))

    def keep(task: asyncio.Task[None]) -> None:
        ending.add(task)
        task.add_done_callback(ending.discard)

    async def stop(message: Msg) -> None:
        try:
            session, call = parse_cancellation(message.subject, message.data)
        except Rejected as error:
            log.warning("cancellation.unreadable", subject=message.subject, reason=str(error))
            return
        calls.stop(session, call)
        of_code.stop(session, call)
        if call is None:
            end(session)
        elif hand_overs.of(session, call) is not None:
            keep(asyncio.create_task(hand_overs.end(session, call)))

    async def erased(name: str) -> None:
        await closing(SessionId(name))

    return stop, erased
