"""Stop early: what runs for a session is told when the session wants it no more."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from agent_contracts.ids import CallId, SessionId

T = TypeVar("T")


class Cancellations:
    """The model calls that run in this process, by session."""

    def __init__(self) -> None:
        self._running: dict[SessionId, dict[CallId, asyncio.Event]] = {}

    def cancel(self, session_id: SessionId, call_id: str = "") -> None:
        """Stop this call of the session, or without an id all of them. Unknown ones are none of ours."""
        for running, told in self._running.get(session_id, {}).items():
            if call_id in ("", running):
                told.set()

    async def run(self, session_id: SessionId, call_id: CallId, work: Coroutine[Any, Any, T]) -> T | None:
        """The work's result; None if it was told to stop first, and then it has stopped."""
        told = asyncio.Event()
        calls = self._running.setdefault(session_id, {})
        calls[call_id] = told
        working = asyncio.create_task(work)
        waiting = asyncio.create_task(told.wait())
        try:
            await asyncio.wait({working, waiting}, return_when=asyncio.FIRST_COMPLETED)
            return working.result() if working.done() else None
        finally:
            waiting.cancel()
            working.cancel()
            await asyncio.gather(working, waiting, return_exceptions=True)
            if calls.get(call_id) is told:
                del calls[call_id]
            if not calls:
                self._running.pop(session_id, None)
