"""Sessions whose events can't be folded: they end in `error`, which says where the log is broken."""

import contextlib

import structlog

from agent_contracts.errors import Conflict, LogCorrupt
from agent_contracts.event_sources import Actor
from agent_contracts.log.record.codec import type_of
from agent_contracts.log.record.records import Expect, event_of
from agent_contracts.log.record.session_subjects import SessionKey
from agent_contracts.session_events.decisions import Failed
from agent_platform.log.event_message import Origin, event_message
from agent_platform.log.port import Log
from agent_platform.observing.telemetry import current_traceparent
from agent_platform.process.clock import Clock

log = structlog.get_logger()


async def end_broken(
    events: Log, clock: Clock, about: tuple[SessionKey, int], corrupt: LogCorrupt, source: str
) -> None:
    """Record, once, that a session (and the sequence that was to be handled) is broken.

    No fold comes so far as to see it: it is for people and projections, and no decision follows it.
    """
    session, cause = about
    failed = Failed(kind=corrupt.kind, message=f"{corrupt.message}. Fork it at an event before that.")
    subject = session.decision(type_of(failed), None)
    earlier = await events.last(subject)
    told = event_of(earlier)
    if told is not None and told.event == failed:
        return
    origin = Origin(source, Actor.SERVICE, cause, None, current_traceparent())
    message, _ = event_message(failed, subject, origin, clock)
    with contextlib.suppress(Conflict):  # another engine was first
        await events.append(message, Expect(subject, earlier.sequence if earlier else 0))
        log.error("session.broken", session_id=session.session_id, reason=corrupt.message)
