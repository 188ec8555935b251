"""Turns: what came of a message, now or once the session rests."""

import asyncio
import contextlib

from agent_contracts.api.turns import GOES_ON, Turn
from agent_contracts.errors import Rejected
from agent_contracts.ids import SessionId
from agent_contracts.log.address import Address
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import StoredMessage
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from gateway.live.event_filter import EventFilter
from gateway.live.frames import LiveFrame
from gateway.live.hearing import hearing
from gateway.operations.events import EventReader
from gateway.operations.sessions.projected_sessions import ProjectedSessions
from gateway.queries import turns

LONGEST_WAIT_S = 300
_HEARTBEAT_S = 15.0
MAY_REST = frozenset(
    type_of(event)
    for event in (
        ev.BecameIdle,
        ev.Waiting,
        ev.TurnFailed,
        ev.TokenLimitHit,
        ev.Completed,
        ev.Failed,
        ev.InputRefused,
        ev.Rewound,
        inputs.Continued,
    )
)
"""Types of events after which a session may rest, or a turn may have another end."""


class SessionTurns:
    """Reads them, and waits for their ends. Waiting changes nothing, nor does whoever stops waiting."""

    def __init__(self, projected: ProjectedSessions, events: EventReader) -> None:
        self._projected = projected
        self._events = events

    async def newest(self, session_id: SessionId) -> Address:
        """The message of a session's newest turn. `Rejected(kind="not_found")` where nobody said anything,
        `Transient(kind="projection_behind")` where there may be a newer one."""
        async with self._projected.of_session(session_id, as_of_now=True) as snapshot:
            found = await turns.newest(snapshot, session_id)
        if found is None:
            raise Rejected(f"Nobody has said anything in session {session_id}", kind="not_found")
        return found

    async def read(self, session_id: SessionId, message: Address) -> Turn:
        """The turn as it is. `Rejected(kind="not_found")` if the session has no such message,
        `Transient(kind="projection_behind")` if the projections haven't come to it."""
        none = Rejected(
            f"Session {session_id} has no message {message} of a person or a program", kind="not_found"
        )
        try:
            async with self._projected.of_session(session_id, message.sequence) as snapshot:
                found = await turns.one(snapshot, session_id, message)
        except Rejected as refusal:
            if refusal.path == "/min_sequence":  # the log ends before it
                raise none from refusal
            raise
        if found is None:
            raise none
        return found

    async def wait(self, session_id: SessionId, message: Address, wait_s: float) -> Turn:
        """The turn once it has ended or waits for a person, else as it is after so many seconds."""
        if wait_s <= 0:
            return await self.read(session_id, message)
        heard = asyncio.Event()
        heard.set()
        listening = await self._events.listen(EventFilter(session_id=session_id), message, _HEARTBEAT_S)

        def hear(frame: LiveFrame) -> None:
            if isinstance(frame.what, StoredMessage) and frame.what.event_type in MAY_REST:
                heard.set()

        async with hearing(listening, hear, heard.set) as listener:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    while True:
                        await heard.wait()
                        heard.clear()
                        turn = await self.read(session_id, message)
                        if turn.status not in GOES_ON:
                            return turn
                        if listener.done():
                            await listener  # raises why nothing more is heard
        return await self.read(session_id, message)
