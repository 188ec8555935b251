"""What a session's decisions mean outside of it: children are created, parents told, the agent rewound."""

from typing import Literal

import msgspec
import structlog

from agent_contracts.errors import Conflict
from agent_contracts.event import Event
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import Expect, NewMessage, StoredMessage, decode
from agent_contracts.log.record.session_subjects import SessionKey, SessionSubject
from agent_contracts.outside import joined
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events import inputs
from agent_domain.rewinding.rewinds import Rewinds
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityWriter
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.port import Log
from agent_platform.observing.telemetry import current_traceparent
from agent_platform.process.clock import Clock
from session_domain.domain.state import SessionState
from session_domain.sessions import FoldedSessions
from session_engine.neighbours.notepads import NotepadOf, copy_notepad
from session_engine.service import DECLARATION

SOURCE = DECLARATION.source
CONCERNS_OTHERS = frozenset(
    ("ev.child_spawned", "ev.completed", "ev.failed", "ev.token_limit_hit", "ev.rewound")
)
"""The decisions that mean something for other sessions or the agent, by the end of their subject."""

log = structlog.get_logger()


class _Ending(msgspec.Struct, frozen=True):
    """How a sub-session ended, as its parent is told; `reported`: the result is what it reported."""

    status: Literal["completed", "error", "token_limit_reached"]
    result: str | None = None
    error: str | None = None
    reported: bool = False


class Neighbours:
    """Acts on committed decisions. Each act happens once, however often it is asked for."""

    def __init__(self, events: Log, sessions: FoldedSessions, clock: Clock, rewinds: Rewinds) -> None:
        self._events = events
        self._sessions = sessions
        self._clock = clock
        self._entities = Entities(events, clock, SOURCE)
        self._rewinds = rewinds

    async def act(self, subject: SessionSubject, message: StoredMessage) -> None:
        """Do what one decision asks for elsewhere."""
        recorded = decode(message)
        state = await self._sessions.at(subject.key, message.sequence)
        match recorded.event:
            case ev.ChildSpawned(waits=waits) if waits is not None:
                return  # it is held: another of these events says when it begins
            case ev.ChildSpawned():
                await self._create(state, recorded.event, message.sequence)
            case ev.Completed(result=result, reason=reason):
                how = _Ending("completed", result=result, reported=reason == "reported")
                await self._tell_parent(state, message.sequence, how)
                await self._end_children(state, message.sequence)
            case ev.Failed(message=error):
                await self._tell_parent(state, message.sequence, _Ending("error", error=error))
                await self._end_children(state, message.sequence)
            case ev.TokenLimitHit():
                how = _Ending("token_limit_reached", result=state.last_text)
                await self._tell_parent(state, message.sequence, how)
            case ev.Rewound() as rewound:
                await self._rewinds.follow(subject.key, message.sequence, rewound)
            case _:
                log.warning("decision.not_for_neighbours", subject=message.subject)

    async def _create(self, parent: SessionState, spawned: ev.ChildSpawned, cause: int) -> None:
        created = inputs.Created(
            agent_id=parent.agent_id,
            token_limit=spawned.token_limit,
            model=spawned.model,
            parent_id=parent.session_id,
            parent_call_id=spawned.call_id,
            depth=parent.depth + 1,
            child_depth=parent.limits.child_depth,
            child_count=parent.limits.child_count,
            retry_delays_s=parent.limits.retry_delays_s,
            child_timeout_s=parent.limits.child_timeout_s,
            run_timeout_s=spawned.run_timeout_s or parent.limits.child_timeout_s,
            begun_by=parent.begun_by,
            outside=joined(parent.outside, spawned.outside),
            mode=spawned.mode,
            browser=spawned.browser,
            thinking=parent.thinking,
        )
        events: list[Event] = [created]
        if spawned.fork_at is not None:
            events.append(ev.ForkedFrom(parent.agent_id, parent.session_id, spawned.fork_at))
        events.append(inputs.UserMessage(text=spawned.task))
        child = spawned.child_id
        if spawned.fork_at is not None or spawned.copy_notepad:
            at = cause if spawned.fork_at is None else spawned.fork_at
            writer = EntityWriter.call(child, spawned.call_id, 1, since=cause)
            await copy_notepad(self._entities, NotepadOf(parent.key, at), child, writer)
        messages = [
            self._message(event, parent.key.sibling(child), cause, f"{child}.{number}")
            for number, event in enumerate(events)
        ]
        await self._append_first(parent.key.sibling(child), messages)

    async def _append_first(self, child: SessionKey, messages: list[NewMessage]) -> None:
        """Begin a session, unless it was begun: what somebody put there that isn't an event doesn't count."""
        last = 0
        while True:
            expects = [Expect(child.everything, last), *[None] * (len(messages) - 1)]
            try:
                await self._events.append_together(messages, expects)
                return
            except Conflict:
                found = await self._sessions.newest(child)
            if found.position:
                log.info("child.exists", session_id=child.session_id)
                return
            last = found.last_sequence

    async def _tell_parent(self, child: SessionState, at: int, how: _Ending) -> None:
        if child.parent_id is None:
            return
        parent = await self._sessions.newest(child.key.sibling(child.parent_id))
        if parent.position == 0:
            log.info("parent.is_elsewhere", session_id=child.session_id)  # only the child was imported
            return
        known = parent.child(child.session_id)
        if known is not None and known.ended_sequence >= at:
            return
        finished = inputs.ChildFinished(
            child_id=child.session_id,
            status=how.status,
            result=how.result,
            error=how.error,
            tokens=child.totals.tokens,
            at=at,
            reported=how.reported,
            outside=child.outside,
        )
        event_id = f"{child.session_id}.ended.{at}"
        await self._events.append(self._message(finished, parent.key, at, event_id))

    async def _end_children(self, parent: SessionState, cause: int) -> None:
        for child in parent.children:
            if child.is_there:
                event_id = f"{child.child_id}.ended-by-parent"
                await self._events.append(
                    self._message(inputs.Archived(), parent.key.sibling(child.child_id), cause, event_id)
                )

    def _message(self, event: Event, session: SessionKey, cause: int, event_id: str) -> NewMessage:
        kind = type_of(event)
        subject = session.decision(kind) if isinstance(event, ev.ForkedFrom) else session.input(kind)
        origin = Origin(SOURCE, causation=cause, traceparent=current_traceparent())
        message, _ = event_message(event, subject, origin, self._clock, event_id)
        return message
