"""Calls that are kept open while a person is asked: servers up to 2025-11-25 ask in the middle of one.

They live in this process alone. Where it stops, nobody knows what became of them.
"""

import asyncio
import time
from typing import Any

import msgspec
import structlog
from mcp_types import CallToolResult, ElicitResult

from agent_contracts.ids import CallId, SessionId
from mcp_host import limits
from mcp_host.connecting.background import beside
from mcp_host.connecting.under_way import PendingQuestion, UnderWay

_TO_GO_ON_S = 60.0
"""Seconds in which a call that nobody answered is requested again, which tells its server."""

log = structlog.get_logger()


class HeldKey(msgspec.Struct, frozen=True):
    """Which call is kept open."""

    session_id: SessionId
    call_id: CallId


class SentCall:
    """A call that was sent. `under_way` is what its connection asks by."""

    def __init__(self, working: "asyncio.Task[Any]", under_way: UnderWay) -> None:
        self._working = working
        working.add_done_callback(_seen)
        self.under_way = under_way
        self._asked: PendingQuestion | None = None
        self.held_until = 0.0

    async def next(self) -> CallToolResult | Any | PendingQuestion:
        """What the server gives, or asks before that; what the call raises. Cancelled, it is given up."""
        try:
            async with beside(self.under_way.question()) as (question,):
                await asyncio.wait({self._working, question}, return_when=asyncio.FIRST_COMPLETED)
                if not self._working.done():
                    self._asked = question.result()
                    return self._asked
            return self._working.result()
        except asyncio.CancelledError:
            self.give_up()
            raise

    def answer(self, answer: ElicitResult) -> None:
        """What a person said to the last that was asked."""
        if self._asked is not None and not self._asked.answer.done():
            self._asked.answer.set_result(answer)

    def give_up(self) -> None:
        """Nobody waits for it any more: the server is told so."""
        self.under_way.end()
        self._working.cancel()


class HeldCalls:
    """Those of one host, bounded."""

    def __init__(self, held_s: float = limits.HELD_S) -> None:
        """A person has `held_s` seconds to answer."""
        self.held_s = held_s
        self._held: dict[HeldKey, SentCall] = {}

    def hold(self, key: HeldKey, call: SentCall) -> bool:
        """Keep it until it is answered; False where there is no room."""
        self._forget_late()
        if len(self._held) >= limits.MOST_HELD:
            return False
        call.held_until = time.monotonic() + self.held_s + _TO_GO_ON_S
        self._held[key] = call
        return True

    def take(self, key: HeldKey) -> SentCall | None:
        """The call, to go on with it; None where it isn't open here any more."""
        return self._held.pop(key, None)

    def stop(self, session_id: SessionId, call_id: CallId | None) -> None:
        """The engine cancelled this call, or ended the session."""
        for key in list(self._held):
            if key.session_id == session_id and call_id in (None, key.call_id):
                self._held.pop(key).give_up()

    def _forget_late(self) -> None:
        now = time.monotonic()
        for key, call in list(self._held.items()):
            if call.held_until < now:
                self._held.pop(key).give_up()


def _seen(task: "asyncio.Task[Any]") -> None:
    """Nobody may ever ask for what it raised."""
    if not task.cancelled() and task.exception() is not None:
        log.debug("call.failed", reason=str(task.exception()))
