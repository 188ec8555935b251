"""Who wrote what an agent has, when, and which versions there were."""

from typing import Literal

import msgspec

from agent_contracts.api.sources import ProvenanceSource
from agent_contracts.api.wire import Number, RequestBody, ResponseBody
from agent_contracts.timestamp import Timestamp

By = Literal["user", "agent", "service"]


class VersionRecord(ResponseBody, frozen=True, kw_only=True):
    """Who wrote a version, when, and by which event; `session_id` and `call_id` where an agent did.
    `outside`: where material from outside came from that its writer had.

    Version 0 is what holds before anybody wrote anything: it has no event.
    """

    version: int
    sequence: int | None
    written_at: Timestamp | None
    actor: By | None
    session_id: str | None
    call_id: str | None
    outside: tuple[ProvenanceSource, ...] = ()


class DeleteResult(ResponseBody, frozen=True, kw_only=True):
    """Whether there was anything to delete; `sequence` is the event that did."""

    deleted: bool
    sequence: int | None


class Version(ResponseBody, frozen=True, kw_only=True):
    """One change of an entity. A deletion has no `version`; numbers start again at 1 after it.

    `causation`: the event that led to it, such as the request of the call `call_id`.
    `outside` as in `VersionRecord`.
    """

    sequence: int
    version: int | None
    deleted: bool
    written_at: Timestamp
    actor: By
    session_id: str | None
    call_id: str | None
    causation: int | None
    replaced: int | None
    outside: tuple[ProvenanceSource, ...] = ()


class VersionTarget(msgspec.Struct, frozen=True):
    """An earlier version: the newest of a number (after a deletion numbers start again), or an event's."""

    version: int | None = None
    sequence: int | None = None

    def __str__(self) -> str:
        if self.sequence is not None:
            return f"version made by event {self.sequence}"
        return f"version {self.version}"


class Revert(RequestBody, frozen=True, kw_only=True):
    """Which version to go back to: one of the two. `sequence` names the event that made it."""

    version: Number | None = None
    sequence: Number | None = None

    def __post_init__(self) -> None:
        if (self.version is None) == (self.sequence is None):
            raise ValueError("Name either a version or a sequence")

    @property
    def target(self) -> VersionTarget:
        """The version that is meant."""
        return VersionTarget(self.version, self.sequence)
