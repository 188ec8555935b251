"""One rollback of what a session changed of its agent's files."""

from collections.abc import Sequence

import msgspec

from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Conflict, Rejected
from agent_domain.sessions.directory import KnownSession
from agent_platform.entities.entity import Changes, Delete, Entity, EntityKey, Other, Write, Writer
from gateway.operations.agents.edits import Edits
from gateway.operations.asked import Asked
from gateway.operations.rewind.agent_changes import AgentChange
from gateway.operations.rewind.file_changes import (
    FileChanges,
    Holders,
    Sessions,
    can_go_back,
    groups,
    paths_back,
)

_ATTEMPTS = 10
_AT_ONCE = 250
"""Files in one atomic batch: with their paths, fewer messages than the 1,000 that nats-server takes."""


class FilesBack:
    """Writes each file once more, with its path, in the session's name; see `AgentBack`."""

    def __init__(
        self, changes: FileChanges, edits: Edits, session: KnownSession, point: int, request: Asked
    ) -> None:
        self._changes = changes
        self._edits = edits
        self._session = session
        self._point = point
        self._request = request
        self._writers: dict[EntityKey, Writer] = {}

    async def restore(
        self, keys: Sequence[EntityKey], by: Sessions, included: frozenset[tuple[EntityKind, str]]
    ) -> dict[EntityKey, int | None]:
        """Give the files their earlier values and paths back, or delete them: those that went back, and the
        event that did it (None: a file was what it had been).

        Left out is what others changed too, unless it is included, and what would come to a path that is
        another's now. What was decided on is compared with what is there when it is written.
        """
        for _ in range(_ATTEMPTS):
            changes = [await self._changes.of(by, key, self._point) for key in keys]
            done = {one.key: found for one in changes if (found := await self._done(one.key)) is not None}
            chosen = [
                one
                for one in changes
                if one.key not in done
                and (not one.touched_by_others or (one.key.kind, one.key.name) in included)
            ]
            holders = await self._changes.holders(chosen)
            going = can_go_back(chosen, holders)
            back: dict[EntityKey, int | None] = {**done}
            back |= {one.key: None for one in going if one.is_undone}
            moving = [one for one in going if not one.is_undone]
            try:
                for batch in groups(moving, _AT_ONCE):
                    await self._write(batch, holders)
                    back |= {one.key: await self._done(one.key) for one in batch}
            except Conflict:
                continue
            return back
        raise Rejected("The files are being changed again and again; try later", kind="conflict")

    async def _write(self, batch: Sequence[AgentChange], holders: Holders) -> None:
        first, *rest = batch
        others = tuple(Other(one.key, one.now, _back(one), self._writer(one.key)) for one in rest)
        paths = tuple(
            Other(
                place,
                holders[place],
                Delete() if value is None else Write(msgspec.to_builtins(value)),
                self._writer(place),
            )
            for place, value in paths_back(batch, holders).items()
        )

        async def decide(found: Entity | None) -> Changes:
            if (found and found.sequence) != (first.now and first.now.sequence):
                raise Conflict(f"File {first.key.name} was changed meanwhile")
            return Changes(_back(first), (*others, *paths))

        await self._edits.change_together(first.key, self._writer(first.key), self._request, decide)

    async def _done(self, key: EntityKey) -> int | None:
        """The event by which this very rollback gave the file its value back, if it did."""
        writer = self._writer(key)
        later = await self._changes.later(key, self._point)
        return next((one.sequence for one in later if one.envelope.id == writer.id), None)

    def _writer(self, key: EntityKey) -> Writer:
        """The same for each attempt."""
        if key not in self._writers:
            session_id = self._session.session_id
            writer = self._edits.writer(self._request, session_id, key.subject, "rollback")
            self._writers[key] = msgspec.structs.replace(writer, session_id=session_id, since=self._point)
        return self._writers[key]


def _back(change: AgentChange) -> Write | Delete:
    return Delete() if change.before is None else Write(change.before.value, change.before.outside)
