"""Who wrote what an agent has, when, and which versions there were."""

from typing import Literal

import msgspec

from agent_contracts.api.sources import ProvenanceSource
from agent_contracts.api.wire import Number, RequestBody, ResponseBody
from agent_contracts.timestamp import Timestamp

By = Literal["user", "agent", "service"]


class VersionRecord(ResponseBody, frozen=True, kw_only=True):
    """Who wrote a version, when, and by which event.

    Version 0 is what holds before anybody wrote anything: it has no event.
    """

    version: int
    """Its number, from 1. 0: nobody wrote anything yet, this is the default. Numbers start again at 1 after a
    deletion."""
    sequence: int | None
    """Number of the event in the log that wrote it; null for version 0."""
    written_at: Timestamp | None
    """When it was written; null for version 0."""
    actor: By | None
    """Who wrote it: a person (`user`), the agent, or a `service`. Null for version 0."""
    session_id: str | None
    """Id of the session in which the agent wrote it; null: a person or a service did."""
    call_id: str | None
    """Id of the tool call by which the agent wrote it; null: a person or a service did."""
    outside: tuple[ProvenanceSource, ...] = ()
    """Sources of outside material that its writer had read by then; empty: none."""


class DeleteResult(ResponseBody, frozen=True, kw_only=True):
    """What a deletion did."""

    deleted: bool
    """Whether there was anything to delete."""
    sequence: int | None
    """Number of the event that deleted it; null: there was nothing to delete."""


class Version(ResponseBody, frozen=True, kw_only=True):
    """One change of an entity, or its deletion."""

    sequence: int
    """Number of the event that made the change."""
    version: int | None
    """The number of the version, from 1. Null: a deletion, after which numbers start again at 1."""
    deleted: bool
    """Whether the change was a deletion."""
    written_at: Timestamp
    """When the change was made."""
    actor: By
    """Who made the change: a person (`user`), the agent, or a `service`."""
    session_id: str | None
    """Id of the session in which the agent made the change; null: a person or a service did."""
    call_id: str | None
    """Id of the tool call by which the agent made the change; null: a person or a service did."""
    causation: int | None
    """Number of the event that led to it, such as the request of the tool call. Null: none did."""
    replaced: int | None
    """Number of the event that wrote the version before it; null: there was none."""
    outside: tuple[ProvenanceSource, ...] = ()
    """Sources of outside material that its writer had read by then; empty: none."""


class VersionTarget(msgspec.Struct, frozen=True):
    """An earlier version: the newest of a number (after a deletion numbers start again), or an event's."""

    version: int | None = None
    sequence: int | None = None

    def __str__(self) -> str:
        if self.sequence is not None:
            return f"version made by event {self.sequence}"
        return f"version {self.version}"


class Revert(RequestBody, frozen=True, kw_only=True):
    """The version to go back to, named by one of the two."""

    version: Number | None = None
    """The version's number. After a deletion numbers start again: the newest version of this number."""
    sequence: Number | None = None
    """Number of the event that made the version."""

    def __post_init__(self) -> None:
        if (self.version is None) == (self.sequence is None):
            raise ValueError("Name either a version or a sequence")

    @property
    def target(self) -> VersionTarget:
        """The version that is meant."""
        return VersionTarget(self.version, self.sequence)
