"""What a browser pool does with the calls of a session, and when nobody waits for it any more."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any

import structlog

from agent_contracts.errors import Failure
from agent_contracts.ids import CallId, SessionId
from agent_contracts.questions.code_calls import CodeCall
from agent_platform.services.consuming.consumer import Handler
from agent_tools.running.code_calls import CodeCalls
from browser_pool.contexts.contexts import BrowserContexts
from browser_pool.takeover.takeovers import Takeovers

ENDED = "the session ended, or its conversation was rewound"

log = structlog.get_logger()


@dataclass(frozen=True)
class ContextWork:
    """What is done for a session whose context is here: a request of the log is handled, what code asked is
    answered."""

    delivered: Handler
    asked: Callable[[CodeCall], Awaitable[bytes]]


class BrowserEndings:
    """Ends what a session has here when the engine says that nobody waits for it, or it was erased."""

    def __init__(self, of_code: CodeCalls, contexts: BrowserContexts, hand_overs: Takeovers) -> None:
        self._of_code = of_code
        self._contexts = contexts
        self._hand_overs = hand_overs
        self._in_hand: set[asyncio.Task[None]] = set()

    def stop(self, session: SessionId, call: CallId | None) -> None:
        """Nobody waits for this call, or for anything of the session."""
        self._of_code.stop(session, call)
        if call is None:
            self._begin(self._close(session))
        elif self._hand_overs.of(session, call) is not None:
            self._begin(self._hand_overs.end(session, call))

    async def forget(self, name: str) -> None:
        """The session of this name was erased."""
        await self._close(SessionId(name))

    async def _close(self, session: SessionId) -> None:
        try:
            await self._hand_overs.end(session)
            await self._contexts.end(session, ENDED)
        except Failure as failure:
            log.warning("context.not_given_back", session_id=session, reason=failure.message)

    def _begin(self, end: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(end)
        self._in_hand.add(task)
        task.add_done_callback(self._in_hand.discard)
