"""what is remembered for long, found by words"""

import re
from datetime import UTC, datetime
from typing import Annotated

import msgspec
from pydantic import AfterValidator, Field

from agent_contracts.errors import Rejected
from agent_platform.process.clock import Clock, rfc3339
from agent_tools.context import CallContext
from agent_tools.ports.database import AgentDatabase
from agent_tools.tables import ensure_tables, has_table
from agent_tools.text import TextResult
from agent_tools.tool import PURE, RECORDED, Arguments, tool

DAILY_LOG = "daily-log"
LONGEST = 20_000
"""Characters of a chunk."""
LONGEST_SHOWN = 1_000
"""Characters of a chunk on its line."""
MOST_WORDS = 32
"""Of a query."""

_TABLE = "protoagent_memory"
_CREATE = (
    f"CREATE VIRTUAL TABLE IF NOT EXISTS {_TABLE} USING fts5("
    "content, heading, domain UNINDEXED, stored_at UNINDEXED, "
    "tokenize = 'porter unicode61 remove_diacritics 2')"
)
_PUT = (
    f"INSERT OR REPLACE INTO {_TABLE} (rowid, content, heading, domain, stored_at) VALUES ("
    f"(SELECT max(rowid) FROM {_TABLE} WHERE ?5 AND domain = ?3 AND heading = ?2), ?1, ?2, ?3, ?4)"
)
_COLUMNS = "rowid, domain, heading, content, stored_at"
_WORD = re.compile(r"\w+")
_BREAKS = re.compile(r"[\x00-\x1f\x7f]")


def _has_words(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def _one_line(text: str) -> str:
    if _BREAKS.search(text):
        raise ValueError("must be one line")
    return text.strip()


Content = Annotated[
    str, AfterValidator(_has_words), Field(max_length=LONGEST, description="What to remember, in full words.")
]
Domain = Annotated[
    str,
    AfterValidator(_has_words),
    AfterValidator(_one_line),
    Field(max_length=64, description="A bucket, such as preferences or context."),
]
Heading = Annotated[
    str,
    AfterValidator(_one_line),
    Field(max_length=200, description="A short label; the chunk that has it in this domain is replaced."),
]


class MemoryChunk(msgspec.Struct, frozen=True, array_like=True):
    """One that is stored."""

    id: int
    domain: str
    heading: str
    content: str
    stored_at: str

    @property
    def line(self) -> str:
        """All of it that fits one line."""
        content = " ".join(self.content.split())
        shown = content if len(content) <= LONGEST_SHOWN else f"{content[:LONGEST_SHOWN]}…"
        return f"[{self.domain}] {self.heading}: {shown}" if self.heading else f"[{self.domain}] {shown}"


async def stored(database: AgentDatabase, chunk: tuple[str, str, str], at: datetime, *, replace: bool) -> str:
    """Store a chunk (content, heading, domain); the words that say so. With `replace`, it takes the place of
    the one that has its heading in its domain."""
    content, heading, domain = chunk
    await ensure_tables(database, {_TABLE: _CREATE})
    answer = await database.sql(_PUT, [content, heading, domain, rfc3339(at), int(replace and heading != "")])
    return f"Stored chunk {answer.last_insert_rowid} in {domain!r}."


async def recalled(database: AgentDatabase, query: str, most: int) -> list[MemoryChunk]:
    """Those that have words of the query, best first; where none has, those that contain it letter by
    letter."""
    words = _WORD.findall(query)[:MOST_WORDS]
    if not words or not await has_table(database, _TABLE):
        return []
    terms = " OR ".join(f'"{word}"' for word in words)
    find = (
        f"SELECT {_COLUMNS} FROM {_TABLE} WHERE {_TABLE} MATCH ? ORDER BY bm25({_TABLE}), rowid DESC LIMIT ?"
    )
    found = await _chunks(database, find, terms, most)
    if found:
        return found
    like = f"SELECT {_COLUMNS} FROM {_TABLE} WHERE content LIKE ? ESCAPE '!' ORDER BY rowid DESC LIMIT ?"
    escaped = re.sub(r"([!%_])", r"!\1", query.strip())
    return await _chunks(database, like, f"%{escaped}%", most)


async def newest(database: AgentDatabase, domain: str | None, most: int) -> list[MemoryChunk]:
    """The newest first, of all domains or one."""
    if not await has_table(database, _TABLE):
        return []
    listed = f"SELECT {_COLUMNS} FROM {_TABLE}"
    if domain is None:
        return await _chunks(database, f"{listed} ORDER BY stored_at DESC, rowid DESC LIMIT ?", most)
    one = f"{listed} WHERE domain = ? ORDER BY stored_at DESC, rowid DESC LIMIT ?"
    return await _chunks(database, one, domain, most)


async def counts(database: AgentDatabase) -> list[tuple[str, int]]:
    """How many each domain has, by name."""
    if not await has_table(database, _TABLE):
        return []
    answer = await database.sql(f"SELECT domain, count(*) FROM {_TABLE} GROUP BY domain ORDER BY domain", [])
    return msgspec.convert(answer.rows, list[tuple[str, int]])


async def _chunks(database: AgentDatabase, query: str, *params: str | int) -> list[MemoryChunk]:
    answer = await database.sql(query, list(params))
    try:
        return msgspec.convert(answer.rows, list[MemoryChunk])
    except msgspec.ValidationError as error:
        raise Rejected(
            f"the table {_TABLE} holds something else than what was remembered ({error}): it was changed by "
            "other statements"
        ) from error


class DailyLog(Arguments):
    """What happened."""

    content: Content


@tool("daily_log", family="memory", effect=RECORDED)
async def daily_log(args: DailyLog, call: CallContext, clock: Clock, database: AgentDatabase) -> TextResult:
    """Add an entry to the log of today (UTC), in the domain daily-log. A day has any number of them."""
    at = (call.requested_at or clock.now()).astimezone(UTC)
    chunk = (args.content, at.date().isoformat(), DAILY_LOG)
    return TextResult(text=await stored(database, chunk, at, replace=False))


class MemoryIngest(Arguments):
    """What, and where it belongs."""

    content: Content
    domain: Domain = "general"
    heading: Heading | None = None


@tool("memory_ingest", family="memory", effect=RECORDED)
async def memory_ingest(
    args: MemoryIngest, call: CallContext, clock: Clock, database: AgentDatabase
) -> TextResult:
    """Remember something for all sessions to come: a preference, a fact about where the user works, a
    decision. It is found again by its words."""
    chunk = (args.content, args.heading or "", args.domain)
    at = call.requested_at or clock.now()
    return TextResult(text=await stored(database, chunk, at, replace=True))


_MOST = 100


class MemoryList(Arguments):
    """Of what, and how many."""

    domain: Domain | None = None
    limit: Annotated[
        int, AfterValidator(lambda n: max(1, min(n, _MOST))), Field(description="At most so many, 1 to 100.")
    ] = 10


@tool("memory_list", family="memory", effect=PURE)
async def memory_list(args: MemoryList, database: AgentDatabase) -> TextResult:
    """List what you remembered, the newest first: all, or one domain, such as daily-log."""
    lines = [
        f"#{chunk.id} {chunk.stored_at} {chunk.line}"
        for chunk in await newest(database, args.domain, args.limit)
    ]
    return TextResult(text="\n".join(lines) or f"No chunks in {args.domain or 'any domain'}.")


_RECALLED = 50


class MemoryRecall(Arguments):
    """What to look for."""

    query: Annotated[str, Field(max_length=2_000, description="Words of it; any of them may match.")]
    k: Annotated[
        int,
        AfterValidator(lambda k: max(1, min(k, _RECALLED))),
        Field(description="At most so many, 1 to 50."),
    ] = 5


@tool("memory_recall", family="memory", effect=PURE)
async def memory_recall(args: MemoryRecall, database: AgentDatabase) -> TextResult:
    """Find what you remembered, best match first, one a line. Look here before you answer from what you know
    in general."""
    found = await recalled(database, args.query, args.k)
    return TextResult(text="\n".join(chunk.line for chunk in found) or "No matches.")


class MemoryStats(Arguments):
    """Nothing."""


@tool("memory_stats", family="memory", effect=PURE)
async def memory_stats(args: MemoryStats, database: AgentDatabase) -> TextResult:
    """Tell how many chunks you remembered, by domain and in all."""
    domains = await counts(database)
    if not domains:
        return TextResult(text="Knowledge store is empty.")
    total = sum(count for _, count in domains)
    return TextResult(text="\n".join([f"Total: {total}", *(f"  {name}: {count}" for name, count in domains)]))
