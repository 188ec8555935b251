"""Rewinds of sessions. Nothing is deleted, so each can be undone by another."""

import asyncio
import contextlib

import msgspec

from agent_contracts.api.rewinds import SessionRewound
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.rewinds import Rewind
from agent_contracts.errors import Rejected, Transient
from agent_contracts.ids import SessionId
from agent_contracts.kinds.rewound import SESSION_PART, check_kinds
from agent_contracts.log.address import Address
from agent_contracts.log.record.codec import RecordedEvent
from agent_contracts.log.record.records import event_of
from agent_contracts.selection import Selection
from agent_contracts.session_events.decisions import Completed, Failed, InputRefused, Rewound
from agent_contracts.session_events.inputs import RewindPart, RewindRequested
from agent_domain.rewinding.of_sessions import rewind_of
from agent_domain.rewinding.rewinds import rewind_done
from agent_domain.sessions.directory import KnownSession, SessionDirectory
from agent_platform.log.port import Log
from gateway.operations.idempotency import IdempotentRequest
from gateway.operations.sessions.inputs import Inputs
from gateway.operations.sessions.past_sessions import PastSessions

_DECISION_S = 10.0
COMPLETION_S = 60.0
"""How long a request waits for a rewind that has begun."""


class WantedParts(msgspec.Struct, frozen=True):
    """What goes back to how it was at `to`; what others changed too only where `including` selects it."""

    to: Address
    parts: tuple[RewindPart, ...]
    including: tuple[Selection, ...] = ()


class SessionRewinds:
    """Takes sessions, and what they changed of their agents, back."""

    def __init__(self, log: Log, directory: SessionDirectory, past: PastSessions, inputs: Inputs) -> None:
        self._log = log
        self._directory = directory
        self._past = past
        self._inputs = inputs

    async def rewind(
        self, session_id: SessionId, wanted: WantedParts, request: IdempotentRequest
    ) -> SessionRewound:
        """Take the chosen parts back. Once the request is in the log it is carried out, whoever waits for it;
        a repeat of the same key gets the same answer.

        `Rejected`: `not_found` (no such session), `session_closed`, `invalid_request` (no such event or
        kind). `Transient`: it isn't done in time.
        """
        check_kinds((one.kind for one in wanted.including), (*SESSION_PART, EntityKind.FILE))
        session = await self._directory.find(session_id)
        point = await self._past.safe_point(session_id, wanted.to)
        parts = tuple(sorted(set(wanted.parts)))
        event = RewindRequested(point, parts, wanted.including)
        refusal = await self._refusal(session, event)
        requested = await self._inputs.append_unless_refused(session, event, request, refusal)
        decided = await self._decided(session, requested.sequence, event)
        rewind = rewind_of(session.session_id, decided.sequence, decided.event)
        done: Rewind | None = None
        if rewind is not None:
            done = await rewind_done(
                self._log, session.agent_id, rewind.id, after=decided.sequence, patience_s=COMPLETION_S
            )
        return SessionRewound(
            target_sequence=decided.event.to,
            sequence=decided.sequence,
            rewound=done.rewound if done else {},
            stays=list(done.stays) if done else [],
        )

    async def _refusal(self, session: KnownSession, event: RewindRequested) -> Rejected | None:
        if "conversation" not in event.parts or await self._directory.refusal(session) is None:
            return None
        return Rejected(
            f"Session {session.session_id} was closed and can't go back: fork it at event {event.to} instead",
            kind="session_closed",
        )

    async def _decided(
        self, session: KnownSession, requested: int, wanted: RewindRequested
    ) -> RecordedEvent[Rewound]:
        """The engine's decision. `Rejected(kind="session_closed")` if the session ended first: then its
        conversation stays."""
        try:
            async with (
                asyncio.timeout(_DECISION_S),
                contextlib.aclosing(self._log.tail((session.key.everything,), after=requested)) as messages,
            ):
                async for message in messages:
                    recorded = event_of(message)
                    if recorded is None:
                        continue
                    if isinstance(recorded.event, Rewound) and recorded.event.requested == requested:
                        return recorded
                    ended = isinstance(recorded.event, Completed | Failed | InputRefused)
                    if ended and "conversation" in wanted.parts:
                        raise Rejected(
                            f"Session {session.session_id} was closed before it went back: fork it",
                            kind="session_closed",
                        )
        except TimeoutError as late:
            raise Transient(
                f"No session engine has answered within {_DECISION_S:g} s. The request is recorded (event "
                f"{requested}): the rewind happens as soon as an engine runs, even if nobody waits for it"
            ) from late
        raise Transient("The log was closed. The request is recorded, and the rewind happens automatically")
