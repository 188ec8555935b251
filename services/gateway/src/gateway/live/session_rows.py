"""Rows of sessions as each event leaves them: the projector's function, run for those who watch.

An event's rows are made from the rows before it. These come from Postgres where that is behind the event,
with what the log has in between folded on top; from the session's whole log where Postgres is away. Where
Postgres is ahead, the rows that it has are sent: newer ones, which take the place of older ones all the same.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import msgspec
import structlog
from cachetools import LRUCache

from agent_contracts.api.events import RowChange
from agent_contracts.errors import Failure, Transient
from agent_contracts.ids import SessionId
from agent_contracts.log.address import Address, at_place
from agent_contracts.log.record.records import StoredMessage
from agent_contracts.log.subjects import any_agents_session_filter
from agent_platform.log.port import Log
from gateway.live.event_view import session_of
from gateway.live.row_views import ChangedRows, as_read, named_by, session_change, views
from gateway.live.touched_rows import touched
from gateway.queries.checkpoint import checkpoint
from gateway.queries.database import Database, ProjectionSnapshot
from gateway.queries.database import Row as Found
from gateway.queries.stored_rows import as_found, stored
from gateway.queries.unprojected import UnprojectedRows
from projections.project.batch_rows import BatchRows, NotLoaded, PutRow
from projections.project.log_projection import project
from projections.project.unprojectable import Unprojectable
from projections.segments import segments_of
from projections.session_tables import MESSAGES, SESSIONS, TOOL_CALLS
from projections.table import Key, ProjectedTable, Row

log = structlog.get_logger()

_PATIENCE_S = 1.0
"""After which Postgres counts as away: the events of everybody wait meanwhile."""
_AWAY_S = 2.0
"""So long a Postgres that was away is not asked again."""
_MOST_UNPROJECTED = 5_000
"""Events of one session that are folded for one read: less than a second."""


class HeldRowBounds(msgspec.Struct, frozen=True):
    """How many sessions are held, and rows of one of them. What is dropped is loaded again."""

    sessions: int = 256
    rows: int = 2_000


class _Ahead(Exception):
    """Postgres has the event, or later ones, already."""


@dataclass
class _LiveRows:
    """The rows of a session before its next event. `base`: the checkpoint of those that Postgres has; None:
    all are from the log, so a row that isn't here doesn't exist. `others`: rows of sessions that this one was
    forked from."""

    base: int | None
    rows: BatchRows = field(default_factory=BatchRows)
    others: dict[str, BatchRows] = field(default_factory=dict)


class SessionRows:
    """The rows of those sessions whose events it is told, in order."""

    def __init__(self, events: Log, database: Database, bounds: HeldRowBounds | None = None) -> None:
        self._events = events
        self._database = database
        self._bounds = bounds or HeldRowBounds()
        self._held: LRUCache[str, _LiveRows] = LRUCache(self._bounds.sessions)
        self._away_until = 0.0
        self.reached = 0
        """Rows were told as Postgres has them up to this record: later than their events."""

    def apart(self) -> "SessionRows":
        """The same for somebody who hears of other events."""
        return SessionRows(self._events, self._database, self._bounds)

    def forget(self, session_id: str) -> None:
        """Its next event isn't told here."""
        self._held.pop(session_id, None)

    async def changed(self, message: StoredMessage, *, watched: bool) -> ChangedRows:
        """What an event changed; of a session that nobody watches, only the session's row."""
        session_id = session_of(message.subject)
        if session_id is None:
            return ChangedRows()
        try:
            return await self._changed(session_id, message, watched=watched)
        except BaseException as error:
            self.forget(session_id)  # some of it may be folded
            if isinstance(error, Failure) or not isinstance(error, Exception):
                raise
            log.exception("rows.bug", address=str(message.address), subject=message.subject)
            return ChangedRows(known=False)

    async def _changed(self, session_id: str, message: StoredMessage, *, watched: bool) -> ChangedRows:
        for _ in range(3):
            try:
                return await self._folded(session_id, message, watched=watched)
            except _Ahead:
                self.forget(session_id)
                if found := await self._as_stored([message], {session_id} if watched else set()):
                    return found[0]
        self._held[session_id] = held = _LiveRows(base=None)
        await self._catch_up(held, session_id, message)
        return await self._folded(session_id, message, watched=watched)

    async def changed_by(
        self, messages: Sequence[StoredMessage], watched: Collection[str]
    ) -> list[ChangedRows]:
        """What each of several events changed. Of those that Postgres has, the last one of a session is told
        with the rows that all of them left: whoever has read the session up to one of them drops what is told
        with that one and the earlier ones."""
        found = await self._as_stored(messages, watched)
        for message in messages[len(found) :]:
            session_id = session_of(message.subject)
            found.append(await self.changed(message, watched=session_id in watched))
        return found

    async def unprojected(self, session_id: str, up_to: int) -> UnprojectedRows:
        """The rows that the events leave which Postgres lacks, up to a record; with those of what the session
        was forked from. `Transient` if these are too many."""
        async with self._snapshot() as snapshot:
            held = _LiveRows(base=await checkpoint(snapshot))
        newest: dict[ProjectedTable[Any], dict[Key, Any]] = {SESSIONS: {}, MESSAGES: {}, TOOL_CALLS: {}}
        count = 0
        everything = any_agents_session_filter(SessionId(session_id))
        missing = self._events.read(everything, after=held.base or 0, up_to=up_to)
        async with aclosing(missing) as messages:  # type: ignore[type-var]
            async for one in messages:
                count += 1
                if count > _MOST_UNPROJECTED:
                    raise Transient("The lists lack too many events of this session")
                for put in await self._fold(held, one):
                    newest.get(put.table, {})[put.table.key_of(put.row)] = put.row
        session = newest[SESSIONS].get((session_id,))
        said: dict[int, Found] = {row.place: as_found(MESSAGES, row) for row in newest[MESSAGES].values()}
        asked: dict[Key, Found] = {key: as_found(TOOL_CALLS, row) for key, row in newest[TOOL_CALLS].items()}
        for owner, after, end in segments_of(session.inherited) if session else ():
            if end is not None and end > Address(held.base or 0).end:
                other = await self.unprojected(owner, at_place(end).sequence)
                said |= {place: row for place, row in other.messages.items() if after < place <= end}
                asked |= other.calls
        return UnprojectedRows(as_read(session) if session else None, said, asked, up_to)

    async def _folded(self, session_id: str, message: StoredMessage, *, watched: bool) -> ChangedRows:
        held = self._held.get(session_id) or await self._opened(session_id, message)
        puts = await self._fold(held, message)
        if not puts:
            return ChangedRows()
        session = held.rows.get(SESSIONS, (session_id,))
        assert session is not None
        others = await self._views(held, puts, message) if watched else ()
        if held.base is not None and len(held.rows) > self._bounds.rows:
            self.forget(session_id)
        return ChangedRows(session_change(session), others)

    async def _views(
        self, held: _LiveRows, puts: Sequence[PutRow], message: StoredMessage
    ) -> tuple[RowChange, ...]:
        while True:
            try:
                return views(held.rows, puts)
            except NotLoaded as missing:
                await self._load(held, missing, message)

    async def _opened(self, session_id: str, message: StoredMessage) -> _LiveRows:
        try:
            async with self._snapshot() as snapshot:
                held = _LiveRows(base=await self._behind(snapshot, message))
                for table, key in named_by(message):
                    row = await stored(snapshot, table, key)
                    held.rows.loaded(table, [key], [row] if row is not None else [])
        except Transient:
            held = _LiveRows(base=None)
        self._held[session_id] = held
        await self._catch_up(held, session_id, message)
        return held

    async def _behind(self, snapshot: ProjectionSnapshot, message: StoredMessage) -> int:
        reached = await checkpoint(snapshot)
        if reached >= message.sequence:
            raise _Ahead
        return reached

    async def _catch_up(self, held: _LiveRows, session_id: str, message: StoredMessage) -> None:
        """Fold what the log has of the session between what is held and an event."""
        everything = any_agents_session_filter(SessionId(session_id))
        earlier = self._events.read(everything, after=held.base or 0, up_to=message.sequence)
        async with aclosing(earlier) as messages:  # type: ignore[type-var]
            async for one in messages:
                if one.address.place >= message.address.place:
                    return
                await self._fold(held, one)

    async def _fold(self, held: _LiveRows, message: StoredMessage) -> list[PutRow]:
        while True:
            try:
                changes = project(message, held.rows)
                break
            except NotLoaded as missing:
                await self._load(held, missing, message)
            except Unprojectable:
                return []
        held.others.clear()
        puts = [change for change in changes if isinstance(change, PutRow)]
        held.rows.apply(puts)
        return puts

    async def _load(self, held: _LiveRows, missing: NotLoaded, message: StoredMessage) -> None:
        """Look up a row as it is before an event."""
        table, key = missing.table, missing.key
        own = str(session_of(message.subject))
        if key[0] != own:
            row = await self._of_origin(held, table, key, message)
        elif held.base is None:
            row = None
        else:
            try:
                async with self._snapshot() as snapshot:
                    if await self._behind(snapshot, message) < held.base:
                        raise Transient("Postgres lost what it had")
                    row = await stored(snapshot, table, key)
            except Transient:
                held.base, held.rows = None, BatchRows()
                await self._catch_up(held, own, message)
                return
        held.rows.loaded(table, [key], [row] if row is not None else [])

    async def _of_origin(
        self, held: _LiveRows, table: ProjectedTable[Row], key: Key, message: StoredMessage
    ) -> Row | None:
        """A row of another session, which this one was forked from: as its log has it."""
        origin = str(key[0])
        if origin not in held.others:
            other = _LiveRows(base=None)
            await self._catch_up(other, origin, message)
            held.others[origin] = other.rows
        try:
            return held.others[origin].get(table, key)
        except NotLoaded:
            return None

    async def _as_stored(
        self, messages: Sequence[StoredMessage], watched: Collection[str]
    ) -> list[ChangedRows]:
        """What Postgres has of the events that it has: of the first of `messages`, as many as there are."""
        try:
            async with self._snapshot() as snapshot:
                reached = await checkpoint(snapshot)
                known = [message for message in messages if message.sequence <= reached]
                found = await touched(snapshot, known, watched)
        except Transient:
            return []
        if known:
            self.reached = max(self.reached, reached)
        newest_first: list[ChangedRows] = []
        for message in reversed(known):
            newest_first.append(found.pop(session_of(message.subject) or "", ChangedRows()))
        return newest_first[::-1]

    @contextlib.asynccontextmanager
    async def _snapshot(self) -> AsyncIterator[ProjectionSnapshot]:
        now = asyncio.get_running_loop().time
        if now() < self._away_until:
            raise Transient("Postgres was away a moment ago")
        try:
            async with asyncio.timeout(_PATIENCE_S), self._database.snapshot() as snapshot:
                yield snapshot
        except (TimeoutError, Transient) as error:
            self._away_until = now() + _AWAY_S
            log.info("rows.from_the_log", reason=str(error))
            raise Transient("Postgres is away") from error
