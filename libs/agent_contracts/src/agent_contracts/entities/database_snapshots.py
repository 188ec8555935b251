"""The list of an agent's database snapshots, as it stands in the bucket `snapshots`."""

import msgspec

from agent_contracts.outside import Sources


class DatabaseSnapshot(msgspec.Struct, frozen=True):
    """A database as a blob: its content after one event of its write log."""

    sequence: int
    """The event of the write log after which the database looked like this."""
    event_id: str
    """That event's id, so that a log restored from an older state is noticed."""
    last_rowid: int
    sha256: str
    """The blob that holds it. No two snapshots share a blob: each begins with random bytes."""
    size: int
    """Bytes of the blob."""
    at: str
    """When it was saved (RFC 3339)."""
    outside: Sources = ()
    """Where material came from that the writers of its content had."""


class UnlistedBlob(msgspec.Struct, frozen=True):
    """A blob that no snapshot names: one that is being stored since `at`, or, without `at`, one that must
    be removed."""

    sha256: str
    at: str = ""


class DatabaseSnapshots(msgspec.Struct, frozen=True):
    """All that an agent's database has among the blobs. A blob is `unlisted` before it is stored and until
    it is removed, so that a process that dies leaves none that nobody knows of."""

    kept: tuple[DatabaseSnapshot, ...] = ()
    """By sequence, oldest first."""
    unlisted: tuple[UnlistedBlob, ...] = ()
    points: tuple[int, ...] = ()
    """Events that a restore, a fork or a probe went back to: the snapshot before each stays."""

    @property
    def size(self) -> int:
        """Bytes of all snapshots that are kept."""
        return sum(one.size for one in self.kept)
