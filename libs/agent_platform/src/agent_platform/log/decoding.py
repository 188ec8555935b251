"""From a stored message to the event that it carries, or to why it carries none: one rule for everybody.

An event counts only if it can be read, fits the subject on which it stands, and was written by one who may
write there. Whatever doesn't is skipped by all who read the log, in the same way.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, get_args

import msgspec

from agent_contracts import codec
from agent_contracts.codec import Recorded
from agent_contracts.database_events import DatabaseEvent
from agent_contracts.entities import EntityEvent, EntityKind, EntityWritten
from agent_contracts.entity_values import flaw_in_value
from agent_contracts.envelope import Envelope, from_headers
from agent_contracts.errors import Permanent, Rejected
from agent_contracts.event_subjects import subject_of
from agent_contracts.ids import AgentId
from agent_contracts.session_events.base import Event
from agent_contracts.session_events.decisions import Failed, ForkedFrom
from agent_contracts.session_events.inputs import Created
from agent_contracts.subjects import database_subject, entity_subject, is_decision, parse_session_subject
from agent_contracts.writers import writers_of
from agent_platform.log.port import Log, StoredMessage

_ENTITY_EVENTS, _DATABASE_EVENTS = get_args(EntityEvent), get_args(DatabaseEvent)
_LONGEST_NAME = 512
_QUOTED = 60


class Skipped(msgspec.Struct, frozen=True):
    """A stored message that is not an event here. `problem` says why, for a person, `kind` for programs."""

    sequence: int
    subject: str
    kind: str
    problem: str


def decode(message: StoredMessage) -> Recorded[Any]:
    """The event with its envelope and its place. `Permanent` for a message that must be skipped."""
    envelope = from_headers(message.headers)
    event = codec.decode(envelope.type, message.data)
    check(message.subject, envelope, event)
    return Recorded(message.sequence, message.subject, envelope, event)


def check(subject: str, envelope: Envelope, event: Event) -> None:
    """`Permanent` where such an event would be skipped: it doesn't fit the subject, or not its writer."""
    try:
        _check_place(subject, event)
    except (Rejected, UnicodeEncodeError) as error:
        raise Permanent(f"it names what can't be: {error}", kind="bad_subject") from error
    _check_writer(envelope, event)
    _check_seen(subject, envelope, event)


def read(message: StoredMessage) -> Recorded[Any] | Skipped:
    """The event, or why there is none."""
    try:
        return decode(message)
    except Permanent as error:
        return Skipped(message.sequence, message.subject, error.kind, error.message)


def event_of(message: StoredMessage | None) -> Recorded[Any] | None:
    """The event, or None for a message that is skipped (or isn't there)."""
    found = read(message) if message is not None else None
    return found if isinstance(found, Recorded) else None


async def events(messages: AsyncIterator[StoredMessage]) -> AsyncGenerator[Recorded[Any], None]:
    """The events among stored messages, in order."""
    async with aclosing(messages) as all_messages:  # type: ignore[type-var]
        async for message in all_messages:
            recorded = event_of(message)
            if recorded is not None:
                yield recorded


async def first_event(log: Log, subject: str, *, after: int) -> Recorded[Any] | None:
    """The first event on a subject after sequence `after`; None if there is none."""
    async with aclosing(events(log.read(subject, after=after))) as found:
        async for recorded in found:
            return recorded
    return None


async def last_event(log: Log, subject: str, *, up_to: int | None = None) -> Recorded[Any] | None:
    """The last event on one subject (no wildcard), as of sequence `up_to`; None if it has none."""
    if up_to is None:
        message = await log.last(subject)
    else:
        message = next(iter(await log.last_of_each(subject, up_to=up_to)), None)
    return await event_at_or_before(log, message)


async def event_at_or_before(log: Log, message: StoredMessage | None) -> Recorded[Any] | None:
    """The event that a message carries, else the last one before it on its subject."""
    while message is not None:
        recorded = event_of(message)
        if recorded is not None:
            return recorded
        message = next(iter(await log.last_of_each(message.subject, up_to=message.sequence - 1)), None)
    return None


def _check_place(subject: str, event: Any) -> None:
    if isinstance(event, _ENTITY_EVENTS):
        _check_entity(subject, event)
    elif isinstance(event, _DATABASE_EVENTS):
        _check_same(subject, database_subject(_agent_in(subject)), event)
    else:
        key = parse_session_subject(subject).key
        _check_same(subject, subject_of(event, key), event)
        if isinstance(event, Created) and event.agent_id != key.agent_id:
            raise Permanent(f"a session of agent {event.agent_id[:_QUOTED]!r}", kind="bad_subject")


def _check_same(subject: str, proper: str, event: Event) -> None:
    if subject != proper:
        what = codec.type_of(event)
        raise Permanent(f"{what} stands on {subject!r}, its place is {proper!r}", kind="bad_subject")


def _check_entity(subject: str, event: EntityEvent) -> None:
    agent_id = _agent_in(subject)
    _check_same(subject, entity_subject(agent_id, event.kind, event.name), event)
    if not event.name or len(event.name) > _LONGEST_NAME or "\x00" in event.name:
        raise Permanent(f"no {event.kind.value} can be named {event.name[:_QUOTED]!r}", kind="bad_subject")
    if event.kind is EntityKind.AGENT and event.name != agent_id:
        raise Permanent("an agent's own entity has its id as name", kind="bad_subject")
    if isinstance(event, EntityWritten):
        flaw = flaw_in_value(event.kind, event.value)
        if flaw is not None:
            raise Permanent(f"its value can't be that of a {event.kind.value}: {flaw}", kind="bad_value")


def _agent_in(subject: str) -> AgentId:
    family, _, rest = subject.partition(".")
    if family != "agt":
        raise Permanent(f"it stands on {subject!r}, where nothing of an agent's is", kind="bad_subject")
    return AgentId(rest.partition(".")[0])


def _check_writer(envelope: Envelope, event: Event) -> None:
    writers = writers_of(event)
    if envelope.actor not in writers.get(envelope.source, ()):
        allowed = " or ".join(f"{source} for {_or(actors)}" for source, actors in writers.items())
        raise Permanent(
            f"{envelope.source!r} wrote it for {envelope.actor.value!r}; "
            f"only {allowed} may write {envelope.type}",
            kind="bad_writer",
        )


def _or(actors: frozenset[str]) -> str:
    return "/".join(sorted(actors))


def _check_seen(subject: str, envelope: Envelope, event: Event) -> None:
    """A decision says what it was made on (all but a session's first, and the mark on a broken one), and so
    does a write to a database."""
    needs_prev = is_decision(subject) and not isinstance(event, ForkedFrom | Failed)
    if envelope.prev is None and (needs_prev or isinstance(event, _DATABASE_EVENTS)):
        raise Permanent("it doesn't say which event it was made after (ce-prev)", kind="bad_envelope")
