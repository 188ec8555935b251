"""Following a session until it rests: it has answered, asks a person, or can't go on."""

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import AsyncIterator

from agent_contracts.api.events import EventRecord
from agent_contracts.ids import SessionId
from agent_contracts.log.address import Address
from agent_contracts.log.record.records import StoredMessage
from agent_contracts.questions.queries import Delta
from agent_contracts.sessions.rendering import WAITS_FOR_NOBODY
from agent_contracts.sessions.session_view import FoldedCall, SessionView
from gateway.live.event_filter import EventFilter
from gateway.live.event_view import event_view
from gateway.live.frames import LiveFrame
from gateway.live.hearing import hearing
from gateway.mcp.tool import Tell
from gateway.operations.operations import Operations
from gateway.operations.sessions.turns import MAY_REST

MESSAGES = 50
"""The newest so many are looked at for what was said."""
_PREFIX = "foldline.session."
_MOST_LINES = 100
_LONGEST_LINE = 2_000
_TELL_EACH_S = 0.25
_HEARTBEAT_S = 15.0


class _ProgressLines:
    """What came since it was last taken, bounded: lines of progress, and whether the session may rest."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=_MOST_LINES)
        self._streamed = ""
        self._something = asyncio.Event()
        self.may_rest = False

    def event(self, view: EventRecord) -> None:
        kind = view.type.removeprefix(_PREFIX).rpartition(".")[0]
        if kind == "tool_call_requested":
            self._line(
                f"{view.body.get('tool')} {json.dumps(view.body.get('arguments'), ensure_ascii=False)}"
            )
        elif kind == "tool_call_failed":
            self._line(f"a call failed: {json.dumps(view.body.get('error'), ensure_ascii=False)}")
        self.may_rest = self.may_rest or view.type in MAY_REST
        self._something.set()

    def piece(self, text: str) -> None:
        self._streamed = (self._streamed + text)[-_LONGEST_LINE:]
        self._something.set()

    def ended(self) -> None:
        self.may_rest = True
        self._something.set()

    async def wait(self) -> None:
        await self._something.wait()
        self._something.clear()

    def taken(self) -> list[str]:
        """The lines, and what was streamed, as one more."""
        lines = [*self._lines, self._streamed] if self._streamed else list(self._lines)
        self._lines.clear()
        self._streamed = ""
        return lines

    def _line(self, text: str) -> None:
        self._lines.append(text if len(text) <= _LONGEST_LINE else f"{text[:_LONGEST_LINE]}…")


async def until_it_rests(
    operations: Operations, session_id: SessionId, after: int, wait_s: float, tell: Tell
) -> SessionView:
    """The session once it rests, or as it is after so many seconds; what happens meanwhile is told.

    Only what follows event `after` counts. Whoever stops waiting stops nothing else.
    """
    async with _hearing(operations, session_id, after) as (heard, listener):
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                while True:
                    await heard.wait()
                    for line in heard.taken():
                        await tell(line)
                    if heard.may_rest:
                        heard.may_rest = False
                        state = await operations.folds.state(session_id, messages=MESSAGES)
                        if rests(state):
                            return state
                    if listener.done():
                        await listener  # raises why nothing more is heard
                    await asyncio.sleep(_TELL_EACH_S)
    return await operations.folds.state(session_id, messages=MESSAGES)


def rests(state: SessionView) -> bool:
    """Whether nothing happens any more without somebody."""
    if state.status == "waiting_for_input":
        return bool(waiting(state))
    return state.status != "running"


def waiting(state: SessionView) -> list[FoldedCall]:
    """The calls that wait for a person; not those for sub-sessions."""
    return [
        one
        for one in state.open_calls
        if one.status == "pending" and (one.show or {}).get("kind") not in WAITS_FOR_NOBODY
    ]


@contextlib.asynccontextmanager
async def _hearing(
    operations: Operations, session_id: SessionId, after: int
) -> AsyncIterator[tuple[_ProgressLines, "asyncio.Task[None]"]]:
    heard = _ProgressLines()
    wanted = EventFilter(session_id=session_id)
    listening = await operations.events.listen(wanted, Address(after), _HEARTBEAT_S)

    def hear(frame: LiveFrame) -> None:
        match frame.what:
            case StoredMessage() as message:
                heard.event(event_view(message))
            case Delta(text=text) if text:
                heard.piece(text)

    async with hearing(listening, hear, heard.ended) as task:
        yield heard, task
