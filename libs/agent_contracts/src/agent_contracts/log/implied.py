"""What the last event of a record says unwritten: its subject, and the events before it, say it."""

from collections.abc import Sequence
from typing import Any

import msgspec

from agent_contracts.errors import Permanent, Rejected
from agent_contracts.event import Event
from agent_contracts.ids import CallId
from agent_contracts.log.codec import EVENT_TYPES, encode
from agent_contracts.log.session_key import kind_of
from agent_contracts.log.session_subjects import parse_session_subject
from agent_contracts.session_events.decisions import ModelCallRequested, ToolCallRequested
from agent_contracts.session_events.results import ModelCallCompleted

_SAY_NOTHING_MORE = {
    kind_of(name): event_type
    for name, event_type in EVENT_TYPES.items()
    if name.startswith("foldline.session.")
    and not any(field.required for field in msgspec.structs.fields(event_type))
}
"""Events that may have no member at all, by kind."""


def implied_body(subject: str, earlier: Sequence[Any]) -> bytes | None:
    """The body of the event on this subject, after these of its record; None where it must say more."""
    event = _implied(subject, earlier)
    return encode(event) if event is not None else None


def _implied(subject: str, earlier: Sequence[Any]) -> Event | None:
    try:
        rest = parse_session_subject(subject).rest.split(".")
    except (Permanent, Rejected):  # an entity's, or none that can be
        return None
    match rest:
        case ["ev", "model_call_requested", _, call_id]:
            return ModelCallRequested(CallId(call_id))
        case ["ev", "tool_call_requested", _, call_id]:
            return _requested(CallId(call_id), earlier)
        case ["in" | "ev", kind]:
            event_type = EVENT_TYPES.get(f"foldline.session.{kind}.v1")
            fields = msgspec.structs.fields(event_type) if event_type is not None else ()
            return (
                event_type() if event_type is not None and not any(one.required for one in fields) else None
            )
    return None


def _requested(call_id: CallId, earlier: Sequence[Any]) -> ToolCallRequested | None:
    """The request of a call that an answer in the same record asked for."""
    for answer in earlier:
        for call in answer.tool_calls if isinstance(answer, ModelCallCompleted) else ():
            if call.call_id == call_id:
                return ToolCallRequested(call_id, call.tool, call.arguments, call.runs_on, call.effect)
    return None
