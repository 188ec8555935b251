"""What an agent had at a moment."""

from typing import Any, Literal

from agent_contracts.api.versions import VersionRecord
from agent_contracts.api.wire import ResponseBody

Since = Literal["changed", "removed", "added"]
"""What became of a thing: it was not there at the moment if it was `added`."""


class ThingThen(ResponseBody, frozen=True, kw_only=True):
    """One thing that the agent had."""

    name: str
    """Its name, unique within its kind."""
    label: str
    """What people call it, where its name is an id."""
    address: str | None
    """Address of the event that made it what it was then; null: it didn't exist."""
    since: Since | None
    """What happened to it since then; null: it is the same now."""


class KindThen(ResponseBody, frozen=True, kw_only=True):
    """The things of one kind that the agent had."""

    kind: str
    """The kind, such as `skill` or `database` (one thing, whatever its tables)."""
    count: int
    """Number of things that it had."""
    changes: int
    """Number of things that differ now."""
    things: list[ThingThen]
    """The things, first those that differ. A very long list is cut."""


class AgentMoment(ResponseBody, frozen=True, kw_only=True):
    """What an agent had as of an event."""

    address: str | None
    """Address of the event; null: now."""
    kinds: list[KindThen]
    """What it had, by kind, in a fixed order."""


class ThingVersion(VersionRecord, frozen=True, kw_only=True):
    """A thing at one version, whole."""

    value: Any
    """The whole value: any JSON."""


class ThingInTime(ResponseBody, frozen=True, kw_only=True):
    """One thing right before an event, after it, and now."""

    kind: str
    """Kind of the thing, such as `skill`."""
    name: str
    """Its name, unique within its kind."""
    before: ThingVersion | None
    """As it was right before the event; null: it didn't exist."""
    after: ThingVersion | None
    """As it was after the event; null: it didn't exist."""
    now: ThingVersion | None
    """As it is now; null: it doesn't exist."""
