"""What is committed next to a session, as one record: a result that was offered, and what follows from it."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cached_property

import msgspec

from agent_contracts.event_sources import Actor
from agent_contracts.log.record import records
from agent_contracts.log.record.codec import RecordedEvent, id_within
from agent_contracts.log.record.records import (
    MOST_EVENTS,
    EventDraft,
    Expect,
    NewMessage,
    StoredMessage,
    headers_of,
    id_after,
    record_of,
)
from agent_contracts.log.record.session_subjects import is_decision, subject_of
from agent_contracts.session_events.results import Result as ResultEvent
from agent_contracts.session_events.union import SessionEvent
from agent_platform.log.event_message import Origin, draft
from agent_platform.observing.telemetry import current_traceparent
from agent_platform.process.clock import Clock
from session_domain.domain.decide import decide
from session_domain.domain.fold.evolve import evolve
from session_domain.domain.records import may_be_followed
from session_domain.domain.state import SessionState
from session_domain.folding import points_at_the_past
from session_engine.service import DECLARATION

UNKNOWN = 10**17
"""Stands for a record's sequence until it has one. A decision that names it has to wait until then."""

_NAMED = str(UNKNOWN).encode()


class OfferedEvent(msgspec.Struct, frozen=True):
    """A result that was offered: the event, and its own JSON."""

    recorded: RecordedEvent[ResultEvent]
    body: bytes


class Commit(msgspec.Struct, frozen=True, dict=True):
    """The events of one record: as they are written, and as they are once it has its sequence. It comes
    `after` the session's last."""

    after: int
    drafts: tuple[EventDraft, ...]
    events: tuple[RecordedEvent[SessionEvent], ...]

    @cached_property
    def record(self) -> NewMessage:
        """The one message. Its id follows from what it must come after, so NATS needs none."""
        return record_of(self.drafts, self.events[0].envelope.id, after=self.after)

    @property
    def first(self) -> "Commit":
        """Its first event alone: the others are decided again after it."""
        return Commit(self.after, self.drafts[:1], self.events[:1])

    def stored(self, expect: Expect, sequence: int) -> tuple[StoredMessage, Sequence[StoredMessage]]:
        """The record and its events in the log, where it has this sequence: who reads them in this process
        needs not decode what it has just written."""
        record = self.record
        headers = {**record.headers, **headers_of(record.subject, expect)}
        whole = StoredMessage(sequence, record.subject, record.data, headers)
        return whole, records.made_here(whole, self._events_in)

    def coming(self) -> AbstractContextManager[None]:
        """For as long as the block runs, it is being appended."""
        return records.coming(self.record, self.events[0].envelope.id, self._events_in)

    def _events_in(self, stored: StoredMessage) -> Sequence[StoredMessage]:
        parts, headers = len(self.events), stored.headers
        messages = []
        for event, made in zip(self.events, self.drafts, strict=True):
            found = msgspec.structs.replace(event, sequence=stored.sequence, parts=parts)
            message = StoredMessage(
                stored.sequence, found.subject, made.body, headers, found.part, parts, found.envelope
            )
            message.remember(found)
            messages.append(message)
        return messages


def commit(
    state: SessionState, cause: int, clock: Clock, result: OfferedEvent | None = None
) -> Commit | None:
    """The next record: the result, if there is one, and the decisions that follow, up to the first that asks
    for work or that others look for by its subject. None if nothing is called for.

    Each decision is made on all that comes before it, as when they are appended one by one.
    """
    after = state.last_sequence
    drafts: list[EventDraft] = []
    events: list[RecordedEvent[SessionEvent]] = []
    message_id = id_after(state.key, after)
    if result is not None:
        envelope = msgspec.structs.replace(result.recorded.envelope, id=message_id)
        subject, event = result.recorded.subject, result.recorded.event
        drafts.append(EventDraft(subject, envelope, event, result.body))
        events.append(RecordedEvent(UNKNOWN, subject, envelope, event))
    while len(events) < MOST_EVENTS and (
        not events or may_be_followed(events[-1].event, is_decision(events[-1].subject))
    ):
        if events:
            state = evolve(state, events[-1])
        decision = decide(state)
        if decision is None:
            break
        part = len(events)
        subject = subject_of(decision, state.key)
        if part == 0:
            origin = Origin(
                DECLARATION.source, Actor.AGENT, cause, state.last_sequence, current_traceparent()
            )
            made = draft(decision, subject, origin, clock, message_id)
        else:
            origin = Origin(DECLARATION.source, Actor.AGENT, time=events[0].envelope.time)
            event_id = id_within(message_id, part)
            made = draft(decision, subject, origin, clock, event_id, part=part)
        past = points_at_the_past(decision)
        if part and (past or _NAMED in made.body):
            break
        drafts.append(made)
        events.append(RecordedEvent(UNKNOWN, subject, made.envelope, made.event, part))
        if past:
            break
    return Commit(after, tuple(drafts), tuple(events)) if events else None
