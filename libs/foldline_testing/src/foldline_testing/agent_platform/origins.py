"""Who writes an event, for tests that stand in for a service."""

from typing import get_args

from agent_contracts.event import Event
from agent_contracts.log.record.session_subjects import answers_its_own_tool
from agent_contracts.log.record.writers import writers_of
from agent_contracts.session_events.decisions import Decision
from agent_platform.log.event_message import Origin


def origin_of(event: Event, *, prev: int | None = None, traceparent: str | None = None) -> Origin:
    """One who may write such an event. A decision says that it was made after `prev`, or first of all."""
    source, actors = next(iter(writers_of(event).items()))
    if prev is None and (isinstance(event, get_args(Decision)) or answers_its_own_tool(event)):
        prev = 0
    return Origin(source, min(actors), prev=prev, traceparent=traceparent)
