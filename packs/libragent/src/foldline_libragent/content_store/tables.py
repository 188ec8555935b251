"""The tables of stores, and their texts in pieces."""

import itertools
import json
from collections.abc import Iterator

import msgspec

from agent_contracts.json_value import Json
from agent_tools.ports.database import AgentDatabase
from agent_tools.tables import ensure_tables

SIZE = 1_000
"""Characters of a chunk."""
SHARED = 200
"""Characters that a chunk shares with the one before it, so that what stands at a border is found."""


class ContentChunk(msgspec.Struct, frozen=True):
    """Characters from `start` on, which stand in these lines, from 1."""

    number: int
    start: int
    first_line: int
    last_line: int
    text: str


def chunks_of(text: str) -> Iterator[ContentChunk]:
    """The chunks of a text in order; none of an empty one."""
    number = start = 0
    line = 1
    while start < len(text):
        piece = text[start : start + SIZE]
        ends = line + piece.rstrip("\n").count("\n")
        yield ContentChunk(number, start, line, max(line, ends), piece)
        if start + SIZE >= len(text):
            return
        line += text.count("\n", start, start + SIZE - SHARED)
        start += SIZE - SHARED
        number += 1


def joined(pieces: list[tuple[int, str]]) -> str:
    """The text that these chunks, by start and text, cover without a gap."""
    parts = []
    for (start, text), (following, _) in itertools.pairwise(pieces):
        parts.append(text[: following - start])
    parts.extend(text for _, text in pieces[-1:])
    return "".join(parts)


def lines_in(text: str) -> int:
    """How many lines a text has; a newline at the end begins none."""
    return text.count("\n") + (not text.endswith("\n") if text else 0)


_TABLES = {
    "libragent_stores": """
        CREATE TABLE libragent_stores (
          store_id TEXT PRIMARY KEY, metadata TEXT NOT NULL, created_at TEXT NOT NULL)""",
    "libragent_contents": """
        CREATE TABLE libragent_contents (
          id INTEGER PRIMARY KEY AUTOINCREMENT, store_id TEXT NOT NULL, source TEXT NOT NULL,
          metadata TEXT NOT NULL, edition INTEGER NOT NULL, size INTEGER NOT NULL, lines INTEGER NOT NULL,
          chunks INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL)""",
    "libragent_chunks": """
        CREATE TABLE libragent_chunks (
          id INTEGER PRIMARY KEY AUTOINCREMENT, content_id INTEGER NOT NULL, edition INTEGER NOT NULL,
          number INTEGER NOT NULL, start INTEGER NOT NULL, first_line INTEGER NOT NULL,
          last_line INTEGER NOT NULL, UNIQUE (content_id, edition, number))""",
    "libragent_words": """
        CREATE VIRTUAL TABLE libragent_words USING fts5 (text, tokenize = 'unicode61 remove_diacritics 2')""",
    "libragent_vectors": """
        CREATE TABLE libragent_vectors (
          chunk_id INTEGER PRIMARY KEY, model TEXT NOT NULL, vector TEXT NOT NULL)""",
}
_KNOWN = "SELECT name FROM sqlite_schema WHERE name LIKE 'libragent_%'"


class Tables:
    """The pack's tables. Statements are numbered by the call that runs them, so that each of them happens
    once: a call runs the same number of them each time it is run."""

    def __init__(self, database: AgentDatabase) -> None:
        self._database = database

    async def are_there(self) -> bool:
        """Whether anything was ever kept."""
        return set(_TABLES) <= {name for (name,) in await self.rows(_KNOWN)}

    async def make(self) -> None:
        """Make those that are missing."""
        await ensure_tables(self._database, _TABLES)

    async def rows(self, statement: str, *params: Json) -> list[list[Json]]:
        """What a statement gives."""
        return (await self._database.sql(statement, params)).rows

    async def write(self, statement: str, *params: Json) -> int:
        """How many rows a statement changed."""
        return (await self._database.sql(statement, params)).changes or 0


def as_rows(rows: list[dict[str, Json]]) -> str:
    """Rows as one parameter, for `json_each`."""
    return json.dumps(rows, ensure_ascii=False)
