"""Stores, and the content in them. A content is seen when all its chunks are there."""

import json
import re

import msgspec

from agent_contracts.errors import ErrorKind, Permanent, Rejected
from agent_contracts.json_value import Json
from agent_tools.context import CallContext
from agent_tools.ports.database import AgentDatabase
from foldline_libragent.content_store.tables import ContentChunk, Tables, as_rows, chunks_of, joined, lines_in

LARGEST = 2_000_000
"""Characters of one content."""
MOST_CONTENTS = 10_000
"""In one store."""
_BATCH = 400
"""Chunks that one statement writes: a parameter has at most a MiB, and a character at most six bytes as
JSON, or one in most texts."""
_BATCH_CHARS = 150_000
_ID = re.compile(r"content_([1-9][0-9]{0,17})")
_READ = 900


class StoredText(msgspec.Struct, frozen=True):
    """A content, without its text. `size` is in characters."""

    content_id: str
    store_id: str
    source: str
    metadata: Json
    size: int
    lines: int
    chunks: int
    edition: int
    updated_at: str


class ContentStore(msgspec.Struct, frozen=True):
    """A store, and how much is in it."""

    store_id: str
    metadata: Json
    created_at: str
    contents: int
    chunks: int
    size: int


_STORES = """
    SELECT s.store_id, s.metadata, s.created_at, count(c.id), ifnull(sum(c.chunks), 0), ifnull(sum(c.size), 0)
    FROM libragent_stores s LEFT JOIN libragent_contents c ON c.store_id = s.store_id AND c.edition > 0
    WHERE (s.store_id = ?1 OR instr(s.store_id, ?2) = 1) AND (?3 IS NULL OR s.store_id = ?3)
    GROUP BY s.store_id ORDER BY s.created_at, s.store_id LIMIT 500"""
_MINE = "edition > 0 AND (store_id = ? OR instr(store_id, ?) = 1)"
"""Contents of the session's stores."""
_FIELDS = "id, store_id, source, metadata, size, lines, chunks, edition, updated_at"
_NEW_CHUNKS = """
    INSERT INTO libragent_chunks (content_id, edition, number, start, first_line, last_line)
    SELECT ?, ?, value ->> 'number', value ->> 'start', value ->> 'first_line', value ->> 'last_line'
    FROM json_each(?)"""
_NEW_WORDS = """
    INSERT INTO libragent_words (rowid, text)
    SELECT c.id, j.value ->> 'text' FROM json_each(?) j
    JOIN libragent_chunks c ON c.content_id = ? AND c.edition = ? AND c.number = j.value ->> 'number'"""
_OTHERS = """
    FROM libragent_chunks WHERE content_id = ?
    AND edition NOT IN (SELECT edition FROM libragent_contents WHERE id = content_id)"""
"""Chunks of no edition that is seen. A repeat of a call may find that its edition is there already."""


class SessionContents:
    """What a session keeps in its agent's database; other sessions don't see it.

    `Rejected` with `not_found` for what isn't there, `conflict` for a store that is there already, and
    `too_large`.
    """

    def __init__(self, database: AgentDatabase, call: CallContext) -> None:
        self._tables = Tables(database)
        self._call = call

    @property
    def own_store(self) -> str:
        """The session's, which is there when it is needed."""
        return f"session-{self._call.session_id}"

    @property
    def _mine(self) -> tuple[str, str]:
        """What `_MINE` and `_STORES` are asked with: the own store, and how others that it made begin."""
        # Ids hold no dot: otherwise what session "a-1" made would begin as what "a" made does.
        return self.own_store, f"store-{self._call.session_id}."

    async def make_store(self, metadata: Json) -> ContentStore:
        """Make a store, named after the call that does it."""
        store_id = f"{self._mine[1]}{self._call.call_id}"
        await self._tables.make()
        made = await self._tables.write(
            "INSERT INTO libragent_stores VALUES (?, ?, datetime('now')) ON CONFLICT DO NOTHING",
            store_id,
            json.dumps(metadata),
        )
        if not made:
            raise Rejected(f"there is a store {store_id!r} already", kind=ErrorKind.CONFLICT)
        return await self.store(store_id)

    async def stores(self) -> list[ContentStore]:
        """The session's, oldest first; the first 500."""
        return await self._stores(None)

    async def store(self, store_id: str) -> ContentStore:
        """One of them."""
        found = await self._stores(store_id)
        if not found:
            raise Rejected(
                f"there is no store {store_id!r}: listStores names those that there are",
                kind=ErrorKind.NOT_FOUND,
                path="/store_id",
            )
        return found[0]

    async def add(self, store_id: str | None, text: str, source: str, metadata: Json) -> StoredText:
        """Keep a text in a store; without one, in the session's."""
        _check(text)
        if store_id is not None:
            store = await self.store(store_id)
            if store.contents >= MOST_CONTENTS:
                raise Rejected(f"a store holds at most {MOST_CONTENTS} contents", kind=ErrorKind.TOO_LARGE)
        await self._tables.make()
        where = store_id or self.own_store
        await self._tables.write(
            "INSERT INTO libragent_stores VALUES (?, '{}', datetime('now')) ON CONFLICT DO NOTHING", where
        )
        ((number,),) = await self._tables.rows(
            "INSERT INTO libragent_contents (store_id, source, metadata, edition, size, lines, chunks, "
            "created_at, updated_at) VALUES (?, ?, ?, 0, 0, 0, 0, datetime('now'), datetime('now')) "
            "RETURNING id",
            where,
            source,
            json.dumps(metadata),
        )
        try:
            await self._put(number, 1, text)
        except (Rejected, Permanent):  # what may still be done is not cleared away
            await self._tables.write("DELETE FROM libragent_contents WHERE id = ?", number)
            await self._forget(number)
            raise
        return await self._row(number)

    async def update(self, content_id: str, text: str | None, metadata: Json) -> StoredText:
        """Give a content another text, or (with None) only other metadata; None keeps that, too."""
        before = await self.content(content_id)
        number = number_of(content_id)
        if text is not None:
            _check(text)
            await self._forget(number)  # of an update that was given up
            await self._put(number, before.edition + 1, text)
            await self._forget(number)
        if metadata is not None:
            await self._tables.write(
                "UPDATE libragent_contents SET metadata = ?, updated_at = datetime('now') WHERE id = ?",
                json.dumps(metadata),
                number,
            )
        return await self._row(number)

    async def delete(self, content_id: str) -> None:
        """Forget a content."""
        number = number_of(content_id)
        if not await self._tables.are_there() or not await self._tables.write(
            f"DELETE FROM libragent_contents WHERE id = ? AND {_MINE}", number, *self._mine
        ):
            raise _unknown(content_id)
        await self._forget(number)

    async def content(self, content_id: str) -> StoredText:
        """One content."""
        number = number_of(content_id)
        if not await self._tables.are_there():
            raise _unknown(content_id)
        return await self._row(number)

    async def listed(self, store_id: str | None, offset: int, limit: int) -> tuple[list[StoredText], int]:
        """A part of a store's contents, oldest first, and how many it has."""
        where = store_id or self.own_store
        if store_id is not None:
            await self.store(store_id)
        if not await self._tables.are_there():
            return [], 0
        rows = await self._tables.rows(
            f"SELECT {_FIELDS} FROM libragent_contents WHERE store_id = ? AND edition > 0 "
            "ORDER BY id LIMIT ? OFFSET ?",
            where,
            limit,
            offset,
        )
        ((total,),) = await self._tables.rows(
            "SELECT count(*) FROM libragent_contents WHERE store_id = ? AND edition > 0", where
        )
        return [_stored(row) for row in rows], int(str(total))

    async def text(self, stored: StoredText) -> str:
        """All of a content."""
        number, pieces = number_of(stored.content_id), list[tuple[int, str]]()
        while len(pieces) < stored.chunks:
            rows = await self._tables.rows(
                "SELECT c.start, w.text FROM libragent_chunks c JOIN libragent_words w ON w.rowid = c.id "
                "WHERE c.content_id = ? AND c.edition = ? AND c.number >= ? ORDER BY c.number LIMIT ?",
                number,
                stored.edition,
                len(pieces),
                _READ,
            )
            if not rows:
                raise _unknown(stored.content_id)
            pieces += [(int(str(start)), str(text)) for start, text in rows]
        return joined(pieces)

    async def _put(self, number: Json, edition: int, text: str) -> None:
        count = 0
        for batch in _batches(text):
            places: list[dict[str, Json]] = [
                {"number": c.number, "start": c.start, "first_line": c.first_line, "last_line": c.last_line}
                for c in batch
            ]
            words: list[dict[str, Json]] = [{"number": c.number, "text": c.text} for c in batch]
            await self._tables.write(_NEW_CHUNKS, number, edition, as_rows(places))
            await self._tables.write(_NEW_WORDS, as_rows(words), number, edition)
            count += len(batch)
        await self._tables.write(
            "UPDATE libragent_contents SET edition = ?, size = ?, lines = ?, chunks = ?, "
            "updated_at = datetime('now') WHERE id = ?",
            edition,
            len(text),
            lines_in(text),
            count,
            number,
        )

    async def _forget(self, number: Json) -> None:
        """The chunks that nobody sees."""
        await self._tables.write(f"DELETE FROM libragent_words WHERE rowid IN (SELECT id {_OTHERS})", number)
        await self._tables.write(
            f"DELETE FROM libragent_vectors WHERE chunk_id IN (SELECT id {_OTHERS})", number
        )
        await self._tables.write(f"DELETE {_OTHERS}", number)

    async def _stores(self, store_id: str | None) -> list[ContentStore]:
        if not await self._tables.are_there():
            return []
        return [_store(row) for row in await self._tables.rows(_STORES, *self._mine, store_id)]

    async def _row(self, number: Json) -> StoredText:
        rows = await self._tables.rows(
            f"SELECT {_FIELDS} FROM libragent_contents WHERE id = ? AND {_MINE}", number, *self._mine
        )
        if not rows:
            raise _unknown(f"content_{number}")
        return _stored(rows[0])


def number_of(content_id: str) -> int:
    """The row of a content. `Rejected(kind="not_found")` for what is no id of one."""
    found = _ID.fullmatch(content_id)
    if found is None:
        raise _unknown(content_id)
    return int(found.group(1))


def _batches(text: str) -> list[list[ContentChunk]]:
    batches: list[list[ContentChunk]] = [[]]
    size = 0
    for chunk in chunks_of(text):
        if len(batches[-1]) >= _BATCH or size + len(chunk.text) > _BATCH_CHARS:
            batches.append([])
            size = 0
        batches[-1].append(chunk)
        size += len(chunk.text)
    return batches


def _check(text: str) -> None:
    if not text.strip():
        raise Rejected("there is no text in it", path="/content")
    if len(text) > LARGEST:
        message = f"it has {len(text)} characters: a content has at most {LARGEST}"
        raise Rejected(message, kind=ErrorKind.TOO_LARGE, path="/content")


def _unknown(content_id: str) -> Rejected:
    message = f"there is no content {content_id[:80]!r}: listContent names those of a store"
    return Rejected(message, kind=ErrorKind.NOT_FOUND, path="/content_id")


def _stored(row: list[Json]) -> StoredText:
    number, store_id, source, metadata, size, lines, chunks, edition, updated_at = row
    return StoredText(
        content_id=f"content_{number}",
        store_id=str(store_id),
        source=str(source),
        metadata=json.loads(str(metadata)),
        size=int(str(size)),
        lines=int(str(lines)),
        chunks=int(str(chunks)),
        edition=int(str(edition)),
        updated_at=str(updated_at),
    )


def _store(row: list[Json]) -> ContentStore:
    store_id, metadata, created_at, contents, chunks, size = row
    return ContentStore(
        store_id=str(store_id),
        metadata=json.loads(str(metadata)),
        created_at=str(created_at),
        contents=int(str(contents)),
        chunks=int(str(chunks)),
        size=int(str(size)),
    )
