"""From an event to the message that carries it."""

import msgspec

from agent_contracts.event import Event
from agent_contracts.event_sources import Actor
from agent_contracts.log.record.codec import Envelope, type_of
from agent_contracts.log.record.fitting import check
from agent_contracts.log.record.records import EventDraft, NewMessage, carrying_draft
from agent_platform.process.clock import Clock, rfc3339
from agent_platform.secrecy.safe_events import safe_event


class Origin(msgspec.Struct, frozen=True):
    """Who writes an event and why: `source` names the service, `causation` the sequence that led here.

    `prev` is the last sequence of the session that the writer saw; `traceparent` is W3C trace context;
    `request` is the digest of the request that asked for it under an idempotency key. `time`: of what it
    follows at once from; None: now.
    """

    source: str
    actor: Actor = Actor.SERVICE
    causation: int | None = None
    prev: int | None = None
    traceparent: str | None = None
    request: str | None = None
    time: str | None = None


def event_message(  # noqa: PLR0913 — each is a part of one message
    event: Event, subject: str, origin: Origin, clock: Clock, event_id: str | None = None, *, part: int = 0
) -> tuple[NewMessage, Envelope]:
    """The message to append to `subject`, and the event's envelope: see `draft`."""
    made = draft(event, subject, origin, clock, event_id, part=part)
    return carrying_draft(made), made.envelope


def draft(  # noqa: PLR0913 — each is a part of one message
    event: Event, subject: str, origin: Origin, clock: Clock, event_id: str | None = None, *, part: int = 0
) -> EventDraft:
    """The event as it is written to `subject`, without a secret in it: what it says besides is in the draft's
    own event.

    Without an `event_id` the event gets a fresh one; a fixed one makes repeats of the same write harmless.
    `part` is its place in the record that it goes into (`record_of`). `Permanent` for an event that its
    readers would skip, as one that this service may not write there.
    """
    event, body = safe_event(event)
    envelope = Envelope(
        id=event_id or clock.new_id("e"),
        type=type_of(event),
        source=origin.source,
        time=origin.time or rfc3339(clock.now()),
        actor=origin.actor,
        causation=origin.causation,
        prev=origin.prev,
        traceparent=origin.traceparent,
        request=origin.request,
    )
    check(subject, envelope, event, part)
    return EventDraft(subject, envelope, event, body)
