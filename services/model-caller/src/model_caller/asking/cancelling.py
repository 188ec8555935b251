"""Stop early: what runs for a session is told when the session wants it no more."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from agent_contracts.ids import CallId, SessionId

T = TypeVar("T")


class Cancellations:
    """What is asked of models in this process, by session."""

    def __init__(self) -> None:
        self._running: dict[SessionId, list[tuple[CallId, asyncio.Event]]] = {}

    def cancel(self, session_id: SessionId, call_id: CallId | None = None) -> None:
        """Stop this call of the session, or without an id all of them. Others' calls are ignored."""
        for running, told in self._running.get(session_id, ()):
            if call_id in (None, running):
                told.set()

    async def run(self, session_id: SessionId, call_id: CallId, work: Coroutine[Any, Any, T]) -> T | None:
        """The work's result; None if it was told to stop first, and then it has stopped.

        A call may have several pieces of work at once.
        """
        told = asyncio.Event()
        calls = self._running.setdefault(session_id, [])
        calls.append((call_id, told))
        working = asyncio.create_task(work)
        waiting = asyncio.create_task(told.wait())
        try:
            await asyncio.wait({working, waiting}, return_when=asyncio.FIRST_COMPLETED)
            return working.result() if working.done() else None
        finally:
            waiting.cancel()
            working.cancel()
            await asyncio.gather(working, waiting, return_exceptions=True)
            calls.remove((call_id, told))
            if not calls:
                self._running.pop(session_id, None)
