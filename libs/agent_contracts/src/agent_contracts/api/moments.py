"""What an agent had at a moment."""

from typing import Any, Literal

from agent_contracts.api.versions import VersionRecord
from agent_contracts.api.wire import ResponseBody

Since = Literal["changed", "removed", "added"]
"""What became of a thing: it was not there at the moment if it was `added`."""


class ThingThen(ResponseBody, frozen=True, kw_only=True):
    """One thing. `label` is what people call it, where its name is an id; `address` is the event that made it
    what it was then (null: it wasn't there). `since`: what became of it; null: it is the same now."""

    name: str
    label: str
    address: str | None
    since: Since | None


class KindThen(ResponseBody, frozen=True, kw_only=True):
    """All things of one kind: `count` then, and how many differ now (`changes`). Those that differ come
    first; a very long list is cut. The `database` is one thing, whatever tables it has."""

    kind: str
    count: int
    changes: int
    things: list[ThingThen]


class AgentMoment(ResponseBody, frozen=True, kw_only=True):
    """What an agent had after event `address` (null: now), by kind, in a fixed order."""

    address: str | None
    kinds: list[KindThen]


class ThingVersion(VersionRecord, frozen=True, kw_only=True):
    """A thing at one version, whole. Version 0 is what holds before anybody wrote anything."""

    value: Any


class ThingInTime(ResponseBody, frozen=True, kw_only=True):
    """One thing right before an event, after it, and now; null where it isn't there."""

    kind: str
    name: str
    before: ThingVersion | None
    after: ThingVersion | None
    now: ThingVersion | None
