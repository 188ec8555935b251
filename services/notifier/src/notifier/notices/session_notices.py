"""From events to what a person is told. Reads the session as it was at the event."""

from typing import Any

import msgspec
import structlog

from agent_contracts.entities.bisections import is_probe
from agent_contracts.entities.entity import EntityKind, EntityWritten
from agent_contracts.errors import LogCorrupt
from agent_contracts.event_sources import Actor
from agent_contracts.log.record.codec import RecordedEvent, type_of
from agent_contracts.log.record.records import event_of
from agent_contracts.log.record.session_subjects import SessionKey, parse_session_subject
from agent_contracts.log.subjects import agent_of, all_inputs, owner_of
from agent_contracts.policies import APPROVAL
from agent_contracts.questions.takeover import HAND_OVER
from agent_contracts.session_events import decisions as ev
from agent_contracts.session_events.inputs import Created, ReminderDue
from agent_contracts.tool_spec import RunsOn
from agent_platform.log.events import events, last_event
from agent_platform.log.port import Log
from notifier.desk.notices import Notice
from notifier.notices.schedules import schedule_in
from session_domain.domain.messages import CallStatus, SessionToolCall
from session_domain.domain.rules.approvals import is_asked
from session_domain.domain.state import SessionState
from session_domain.sessions import FoldedSessions

log = structlog.get_logger()

_DECISIONS: tuple[type[Any], ...] = (ev.Waiting, ev.BecameIdle, ev.TurnFailed, ev.Failed, ev.TokenLimitHit)
SUBJECTS = (
    *(f"ses.*.*.*.ev.{type_of(one).rsplit('.', 2)[1]}" for one in _DECISIONS),
    all_inputs(type_of(Created)),
    all_inputs(type_of(ReminderDue)),
    f"agt.*.{EntityKind.SCHEDULE.value}.*",
    f"agt.*.{EntityKind.ERASED.value}.*",
)
"""Where events stand that a person may be told of. Each of them ends its record, so it is found by these."""


class SessionNotices:
    """Knows what of a session concerns a person."""

    def __init__(self, events: Log, sessions: FoldedSessions) -> None:
        self._log = events
        self._sessions = sessions

    async def notices(self, recorded: RecordedEvent[Any]) -> list[Notice]:
        """What a person is told because of an event; mostly nothing."""
        event = recorded.event
        if is_probe(agent_of(recorded.subject)):
            return []
        if isinstance(event, EntityWritten):
            return await self._paused(recorded, event)
        if isinstance(event, Created):
            return _late_run(recorded)
        if not isinstance(event, (*_DECISIONS, ReminderDue)):
            return []
        key = parse_session_subject(recorded.subject).key
        state = await self._state(key, recorded.sequence)
        match event:
            case ReminderDue():
                shown = event.quiet and state is not None and recorded.sequence not in state.refused
                return [_reminder(key, recorded, event.text)] if shown else []
            case ev.Waiting():
                return [] if state is None else _questions(key, recorded, state)
            case ev.BecameIdle(reason="answered") if state is not None:
                return await self._reminded(key, recorded, state)
            case ev.TurnFailed(retry_at=None) if not _is_sub_session(state):
                return [_failure(key, recorded, state, "A turn failed", event.message)]
            case ev.Failed() if not _is_sub_session(state):
                return [_failure(key, recorded, state, "A chat ended in error", event.message)]
            case ev.TokenLimitHit() if not _is_sub_session(state):
                used = f"It used {event.used} of its {event.limit} tokens. Raise the limit to continue."
                return [_failure(key, recorded, state, "A chat reached its token limit", used)]
        return []

    async def is_over(self, notice: Notice) -> bool:
        """Whether a question was answered meanwhile."""
        if notice.kind != "question" or notice.session_id is None:
            return False
        state = await self._sessions.newest(SessionKey(notice.agent_id, notice.session_id))
        return not any(_key_of(state, call) == notice.key for call in _asked(state))

    async def _state(self, key: SessionKey, sequence: int) -> SessionState | None:
        try:
            return await self._sessions.at(key, sequence)
        except LogCorrupt as error:  # such a session ends in error, which is told
            log.info("session.unreadable", session_id=key.session_id, reason=error.message)
            return None

    async def _reminded(
        self, key: SessionKey, recorded: RecordedEvent[Any], state: SessionState
    ) -> list[Notice]:
        """Each reminder that this turn was about, with what was answered, whatever came between."""
        subject = key.input(type_of(ReminderDue))
        if await last_event(self._log, subject, up_to=recorded.sequence) is None:
            return []
        waiting = {one.sequence for one in state.queue}
        since = await self._before(key, recorded.sequence)
        read = events(self._log.read(subject, after=since, up_to=recorded.sequence))
        due = [one async for one in read if not one.event.quiet and one.sequence not in waiting]
        told = [_reminder(key, one, one.event.text) for one in due]
        if told and state.last_text:
            late = due[-1].event.late
            told[-1] = _reminder(key, due[-1], f"{late} {state.last_text}" if late else state.last_text)
        return [msgspec.structs.replace(one, at=recorded.envelope.time) for one in told]

    async def _before(self, key: SessionKey, sequence: int) -> int:
        """After this event came all that a turn can be about which ended at `sequence`: the end of the turn
        before, and what waited then."""
        idle = key.decision(type_of(ev.BecameIdle))
        before = await last_event(self._log, idle, up_to=sequence - 1)
        if before is None:
            return 0
        state = await self._state(key, before.sequence)
        waited = [one.sequence for one in state.queue] if state is not None else []
        return min([before.sequence, *(one - 1 for one in waited)])

    async def _paused(self, recorded: RecordedEvent[Any], event: EntityWritten) -> list[Notice]:
        if event.kind is not EntityKind.SCHEDULE or recorded.envelope.actor is not Actor.SERVICE:
            return []
        after = schedule_in(event)
        if after is None or after.paused_because is None:
            return []
        replaced = event_of(await self._log.get(event.replaced)) if event.replaced else None
        before = schedule_in(replaced.event) if replaced is not None else None
        if before is not None and before.paused_because is not None:
            return []
        return [
            Notice(
                key=f"schedule-{recorded.sequence}",
                kind="failure",
                agent_id=owner_of(recorded.subject),
                at=recorded.envelope.time,
                headline="A schedule was paused",
                about=after.name,
                text=after.paused_because,
            )
        ]


def _asked(state: SessionState) -> list[SessionToolCall]:
    """The calls that wait for a person. Those on the engine wait for sub-sessions."""
    return [
        call
        for call in state.open_calls()
        if call.status is CallStatus.PENDING and (call.runs_on is not RunsOn.ENGINE or is_asked(call))
    ]


def _key_of(state: SessionState, call: SessionToolCall) -> str:
    return f"question-{state.session_id}-{call.call_id}"


def _questions(key: SessionKey, recorded: RecordedEvent[Any], state: SessionState) -> list[Notice]:
    return [
        Notice(
            key=_key_of(state, call),
            kind="question",
            agent_id=key.agent_id,
            at=recorded.envelope.time,
            headline="A question waits for you",
            session_id=key.session_id,
            about=state.title or "",
            text=_question(call),
        )
        for call in _asked(state)
    ]


def _question(call: SessionToolCall) -> str:
    show = call.show or {}
    if show.get("kind") == HAND_OVER:
        return f"The agent asks you to take over its browser: {show.get('reason')}"
    if show.get("kind") == APPROVAL:
        return f"{call.tool} waits for your approval. {show.get('rule')}."
    asked = show.get("question") or show.get("title") or show.get("component")
    return asked if isinstance(asked, str) else f"{call.tool} waits for your answer"


def _failure(
    key: SessionKey, recorded: RecordedEvent[Any], state: SessionState | None, headline: str, text: str
) -> Notice:
    return Notice(
        key=f"failure-{recorded.sequence}",
        kind="failure",
        agent_id=key.agent_id,
        at=recorded.envelope.time,
        headline=headline,
        session_id=key.session_id,
        about=(state.title if state else None) or "",
        text=text,
    )


def _reminder(key: SessionKey, due: RecordedEvent[ReminderDue], text: str) -> Notice:
    return Notice(
        key=f"reminder-{due.sequence}",
        kind="reminder",
        agent_id=key.agent_id,
        at=due.envelope.time,
        headline="A reminder came due" if due.event.late is None else "A reminder came late",
        session_id=key.session_id,
        about=due.event.message,
        text=text,
    )


def _late_run(created: RecordedEvent[Created]) -> list[Notice]:
    begun_by = created.event.begun_by
    if begun_by is None or begun_by.late is None:
        return []
    key = parse_session_subject(created.subject).key
    return [
        Notice(
            key=f"late-{key.session_id}",
            kind="reminder",
            agent_id=key.agent_id,
            at=created.envelope.time,
            headline="A scheduled task runs late",
            session_id=key.session_id,
            about=created.event.title or "",
            text=begun_by.late,
        )
    ]


def _is_sub_session(state: SessionState | None) -> bool:
    return state is not None and state.parent_id is not None
