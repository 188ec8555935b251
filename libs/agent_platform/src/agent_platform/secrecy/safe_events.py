"""An event as it may be written: without a secret in any of its texts."""

from typing import Any

import msgspec

from agent_contracts.entities.database_events import DatabaseEvent
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.event import Event
from agent_contracts.log.record.codec import decode, encode, type_of
from agent_contracts.session_events import decisions, inputs, results
from agent_platform.secrecy.failure_text import failure_text
from agent_platform.secrecy.known_secrets import KNOWN

_FAILURES: dict[type[Any], tuple[str, ...]] = {
    results.ModelCallFailed: ("message",),
    results.ToolCallFailed: ("error.message",),
    decisions.ToolCallCancelled: ("message",),
    decisions.Failed: ("message",),
    decisions.TurnFailed: ("message",),
    decisions.ToolQuarantined: ("reason", "message"),
    decisions.InputRefused: ("reason",),
    inputs.ChildFinished: ("error",),
}
"""Where events say what went wrong, often in the words of a library or a server."""
_DATABASE_EVENTS = DatabaseEvent.__args__


def safe_event(event: Event) -> tuple[Event, bytes]:
    """The event without any known secret, its failures without whatever looks like one, and its JSON.

    Most events are returned as they are. Raises what `encode` does, and `Rejected` for a write to an agent's
    database that holds a secret: its copies have what was written, so nothing can be taken out.
    """
    event = _with_safe_failures(event)
    body = encode(event)
    if not KNOWN.holds(body):
        return event, body
    if isinstance(event, _DATABASE_EVENTS):
        raise Rejected(
            "The statement or its parameters hold the value of a secret, which is never stored. Nothing was "
            "written. Store the secret's name, or its placeholder {{secret:NAME}}",
            kind=ErrorKind.BLOCKED,
        )
    told = msgspec.json.decode(body)
    safe = msgspec.json.encode(
        {name: KNOWN.json(value) if name != "type" else value for name, value in told.items()}
    )
    found = decode(type_of(event), safe)
    return found, encode(found)


def _with_safe_failures(event: Event) -> Event:
    for place in _FAILURES.get(type(event), ()):
        name, _, inner = place.partition(".")
        value = getattr(event, name)
        if value is None:
            continue
        told = getattr(value, inner) if inner else value
        safe = failure_text(told)
        if safe != told:
            safe = msgspec.structs.replace(value, **{inner: safe}) if inner else safe
            event = msgspec.structs.replace(event, **{name: safe})
    return event
