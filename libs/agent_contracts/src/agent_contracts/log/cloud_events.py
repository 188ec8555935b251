"""Our envelope as the attributes of a CloudEvent 1.0, for what leaves by a door: a session's file, AsyncAPI.

In the log events have the short names of `record.documents`.
"""

from collections.abc import Mapping

from agent_contracts.errors import Permanent
from agent_contracts.event_sources import Actor
from agent_contracts.log.record.codec import Envelope

_TEXTS = (
    ("ce-id", "id"),
    ("ce-type", "type"),
    ("ce-source", "source"),
    ("ce-time", "time"),
    ("ce-actor", "actor"),
    ("ce-traceparent", "traceparent"),
    ("ce-request", "request"),
    ("ce-imported", "imported"),
)
_SEQUENCES = (("ce-causation", "causation"), ("ce-prev", "prev"))
_REQUIRED = ("ce-id", "ce-type", "ce-source", "ce-time", "ce-actor")
_LONGEST_SEQUENCE = 18


def to_cloud_event(envelope: Envelope, about: str) -> dict[str, str]:
    """The attributes; `about` is the session or entity that the event concerns."""
    texts = {name: getattr(envelope, field) for name, field in _TEXTS}
    numbers = {name: getattr(envelope, field) for name, field in _SEQUENCES}
    given = {name: str(value) for name, value in {**texts, **numbers}.items() if value is not None}
    return {"ce-specversion": "1.0", "ce-subject": about, **given}


def from_cloud_event(attributes: Mapping[str, str]) -> Envelope:
    """The envelope again. `Permanent` if one is missing, or no number where it must be."""
    missing = [name for name in _REQUIRED if name not in attributes]
    if missing:
        raise _bad(f"it has no {' and no '.join(missing)}")
    if attributes["ce-actor"] not in set(Actor):
        raise _bad(f"{attributes['ce-actor'][:60]!r} is nobody who can write events (ce-actor)")
    texts = {field: attributes[name] for name, field in _TEXTS if name in attributes and field != "actor"}
    numbers: dict[str, int] = {}
    for name, field in _SEQUENCES:
        text = attributes.get(name)
        if text is None:
            continue
        if not text.isdecimal() or len(text) > _LONGEST_SEQUENCE:
            raise _bad(f"{name} is not a sequence of the log: {text[:60]!r}")
        numbers[field] = int(text)
    return Envelope(**texts, **numbers, actor=Actor(attributes["ce-actor"]))  # type: ignore[arg-type]


def _bad(why: str) -> Permanent:
    return Permanent(f"not a CloudEvent: {why}", kind="bad_envelope")
