"""Where seals and removals are kept: a bucket beside the log, which loses nothing when the log does."""

from collections.abc import Mapping
from typing import TypeVar

import msgspec

from agent_contracts.errors import Permanent
from agent_platform.log.bucket import Bucket
from agent_platform.log.sealing.seal import Removal, Seal, SequenceRuns, Total, in_pieces

_SEAL = "seal."
_REMOVAL = "removal."
_BACKUP = "backup"
T = TypeVar("T")


class LastBackup(msgspec.Struct, frozen=True):
    """The newest backup that was made here: where it was put, when, and up to which event."""

    path: str
    time: str
    sequence: int


class Record(msgspec.Struct, frozen=True):
    """All that is known of what the log must hold."""

    seals: Mapping[int, Seal]
    removals: tuple[Removal, ...] = ()
    backup: LastBackup | None = None

    @property
    def sealed_to(self) -> int:
        """The last sequence that was sealed; 0 if none was."""
        return max((seal.last for seal in self.seals.values()), default=0)

    @property
    def removed(self) -> SequenceRuns:
        """The sequences that are meant to be gone."""
        return SequenceRuns(run for removal in self.removals for run in removal.runs)

    def removed_from(self, number: int) -> Total:
        """What the removed messages of a range had been."""
        return Total().plus(*(one.totals[number] for one in self.removals if number in one.totals))


class Seals:
    """The record in its bucket."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket

    async def read(self) -> Record:
        """All of it. `Permanent` if it can't be read."""
        entries = await self._bucket.list()
        return Record(
            {
                int(key.removeprefix(_SEAL)): _decoded(key, entry.value, Seal)
                for key, entry in entries.items()
                if key.startswith(_SEAL)
            },
            tuple(
                _decoded(key, entry.value, Removal)
                for key, entry in sorted(entries.items())
                if key.startswith(_REMOVAL)
            ),
            _decoded(_BACKUP, entries[_BACKUP].value, LastBackup) if _BACKUP in entries else None,
        )

    async def newest(self) -> tuple[int, Seal, int] | None:
        """The newest range, its seal, and that seal's revision; None if there is none."""
        seals = {
            int(key.removeprefix(_SEAL)): entry
            for key, entry in (await self._bucket.list()).items()
            if key.startswith(_SEAL)
        }
        if not seals:
            return None
        number = max(seals)
        return number, _decoded(_SEAL, seals[number].value, Seal), seals[number].revision

    async def seal(self, number: int, seal: Seal, *, expect: int | None = None) -> int:
        """Seal a range, and return the revision. `Conflict` if another did meanwhile: `expect` is the
        revision of the seal that it had, 0 for none, None for any."""
        return await self._bucket.put(f"{_SEAL}{number}", msgspec.json.encode(seal), expect=expect)

    async def unseal(self, number: int) -> None:
        """Forget a range that is gone, and whose loss was accepted."""
        await self._bucket.delete(f"{_SEAL}{number}")

    async def remove(self, name: str, removal: Removal) -> None:
        """Keep what is taken out. `name` is one safe token; a later removal of that name has all that an
        earlier one had.

        It is kept in pieces of some ranges each, so that none is too large for a message. Each is true by
        itself: whoever dies between two has put part of it on record.
        """
        for number, piece in in_pieces(removal).items():
            await self._bucket.put(f"{_REMOVAL}{name}.{number}", msgspec.json.encode(piece))

    async def removal(self, name: str) -> Removal | None:
        """What was kept under that name."""
        found = await self._bucket.below(f"{_REMOVAL}{name}")
        pieces = [_decoded(key, entry.value, Removal) for key, entry in sorted(found.items())]
        if not pieces:
            return None
        runs = SequenceRuns(run for piece in pieces for run in piece.runs)
        totals = {number: total for piece in pieces for number, total in piece.totals.items()}
        return Removal(pieces[0].why, tuple(runs), totals)

    async def backed_up(self, backup: LastBackup) -> None:
        """Keep where the newest backup is."""
        await self._bucket.put(_BACKUP, msgspec.json.encode(backup))


def _decoded(key: str, value: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(value, type=kind)
    except msgspec.DecodeError as error:
        raise Permanent(f"what is recorded about the log under {key!r} can't be read: {error}") from error
