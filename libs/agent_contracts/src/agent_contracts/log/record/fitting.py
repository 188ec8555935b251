"""Whether an event counts where it stands: it fits the subject, and its writer may write there."""

from typing import Any, get_args

from agent_contracts.entities.database_events import DatabaseEvent
from agent_contracts.entities.entity import EntityEvent, EntityKind, EntityWritten
from agent_contracts.errors import Permanent, Rejected
from agent_contracts.event import Event
from agent_contracts.files import LONGEST_PATH
from agent_contracts.ids import AgentId
from agent_contracts.kinds.values import flaw_in_value
from agent_contracts.log.record import codec
from agent_contracts.log.record.codec import Envelope
from agent_contracts.log.record.session_subjects import is_decision, parse_session_subject, subject_of
from agent_contracts.log.record.writers import writers_of
from agent_contracts.log.subjects import database_subject, entity_subject
from agent_contracts.session_events.decisions import Failed, ForkedFrom
from agent_contracts.session_events.inputs import Created

_ENTITY_EVENTS, _DATABASE_EVENTS = get_args(EntityEvent), get_args(DatabaseEvent)
_LONGEST_NAME = 64 + len("/") + LONGEST_PATH
"""That of a path in a session's workspace."""
_QUOTED = 60


def check(subject: str, envelope: Envelope, event: Event, part: int = 0) -> None:
    """`Permanent` where such an event would be skipped: it doesn't fit the subject, or not its writer.

    `part` is its place in its record, from 0.
    """
    try:
        _check_place(subject, event)
    except (Rejected, UnicodeEncodeError) as error:
        raise Permanent(f"it names what can't be: {error}", kind="bad_subject") from error
    _check_writer(envelope, event)
    if part == 0:
        _check_seen(subject, envelope, event)
    elif envelope.prev is not None or envelope.causation is not None:
        raise Permanent(
            "it says what it follows, though it follows an event of its own record", kind="bad_envelope"
        )


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
        raise Permanent("it doesn't say which event it was made after (`prev`)", kind="bad_envelope")
