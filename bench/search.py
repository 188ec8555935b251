"""How long a search takes in a million messages, what its index weighs, and what it costs the projector."""

import asyncio
import random
import re
import secrets
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any

import psycopg

from agent_platform.services.embedded.postgres import PostgresServer
from agent_platform.services.embedded.postgres_cluster import ClusterPasswords
from bench.sampling import median, percentile
from bench.table import Figure, at_most
from gateway.queries import sessions
from gateway.queries.database import Postgres
from gateway.queries.sessions import SessionQuery
from projections.schema import SCHEMA, SCHEMA_SQL

GROUP = "search"
_TARGET_MS = 50.0
_WORDS = 200_000
_AT_ONCE = 20
"""Sessions that go on at the same time."""
_RECORDS = 3
"""For each message the log has so many records."""
_BATCH = 10_000
_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
_INDEX = "messages_by_word"
_DOCS = Path(__file__).parent.parent / "docs"
_WORD = re.compile(r"[a-z]+")
_CONTEXT = 3
"""Letters that decide which one comes next in a made-up word."""


class Language:
    """The words of our docs, most used first, and as many made up of the same letters as make 200,000.

    The n-th is used in proportion to 1/n. The same for the same docs.
    """

    def __init__(self) -> None:
        self._random = random.Random(7)
        used = Counter[str]()
        for page in sorted(_DOCS.rglob("*.md")):
            used.update(_WORD.findall(page.read_text(encoding="utf-8").lower()))
        self._next: dict[str, list[str]] = defaultdict(list)
        for word in used:
            padded = " " * _CONTEXT + word + " "
            for at in range(len(word) + 1):
                self._next[padded[at : at + _CONTEXT]].append(padded[at + _CONTEXT])
        found = dict.fromkeys(word for word, _ in used.most_common())
        while len(found) < _WORDS:
            found[self._word()] = None
        self.words = [*found]
        self._weights = [*accumulate(1 / (rank + 2.7) ** 1.05 for rank in range(_WORDS))]

    def text(self) -> str:
        """What somebody says: some words, a line of code or a number now and then."""
        said = self.some(self._random.choice((6, 12, 20, 30, 60, 120, 200)))
        if self._random.random() < 0.1:
            said += ["in", f"src/{said[0]}_{said[1]}.py:{self._random.randrange(900)}", hex(len(said))]
        return " ".join(said).capitalize() + "."

    def some(self, number: int) -> list[str]:
        """Words."""
        return self._random.choices(self.words, cum_weights=self._weights, k=number)

    def _word(self) -> str:
        letters = " " * _CONTEXT
        while not letters.endswith(" ") or len(letters) == _CONTEXT:
            letters += self._random.choice(self._next[letters[-_CONTEXT:]])
        return letters.strip()


async def measure(folder: Path, *, messages: int) -> list[Figure]:
    """Tables of its own with so many messages, 50 in a session, searched as the list of sessions is."""
    language = Language()
    async with _postgres(folder) as dsn:
        async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
            await connection.execute(f"CREATE SCHEMA {SCHEMA}")
            await connection.execute(f"SET search_path TO {SCHEMA}")
            await connection.execute(SCHEMA_SQL.encode())
            definition = await _value(connection, f"SELECT pg_get_indexdef('{_INDEX}'::regclass)")
            await connection.execute(f"DROP INDEX {_INDEX}")
            await _fill(connection, language, messages)
            await connection.execute("SET maintenance_work_mem = '256MB'")
            began = time.perf_counter()
            await connection.execute(str(definition).encode())
            built = time.perf_counter() - began
            await connection.execute("VACUUM ANALYZE")
            texts = await _value(connection, "SELECT sum(octet_length(text)) FROM messages")
            index = await _value(connection, f"SELECT pg_relation_size('{_INDEX}')")
            words = await _value(
                connection,
                "SELECT pg_total_relation_size('message_words') FROM message_words LIMIT 1",
            )
        share = Figure(GROUP, "index, to the texts' bytes", int(index) / int(texts), "x")
        made = Figure(GROUP, "index built anew", built, "s", None, f"{messages:,} messages")
        sizes = [
            Figure(GROUP, "index", int(index) / 1e6, "MB"),
            Figure(GROUP, "words, for parts of them", int(words) / 1e6, "MB", None, f"{_WORDS:,} words"),
        ]
        return [*sizes, share, made, *await _searched(dsn, language)]


@asynccontextmanager
async def _postgres(folder: Path) -> AsyncIterator[str]:
    await asyncio.to_thread((folder / "postgres").mkdir, parents=True)
    server = PostgresServer(folder / "postgres", ClusterPasswords(secrets.token_hex(8), secrets.token_hex(8)))
    await server.start()
    try:
        yield server.dsn
    finally:
        await server.stop()


async def _fill(connection: psycopg.AsyncConnection[Any], language: Language, messages: int) -> None:
    chance, number = random.Random(8), _AT_ONCE
    going = [*range(_AT_ONCE)]
    last: dict[int, int] = {}
    async with connection.cursor() as cursor:
        columns = "session_id, place, role, text, time, body"
        for first in range(0, messages, _BATCH):
            async with cursor.copy(f"COPY messages ({columns}) FROM STDIN") as copy:
                for at in range(first, min(messages, first + _BATCH)):
                    turn = chance.randrange(_AT_ONCE)
                    if chance.random() < 1 / 50:
                        going[turn], number = number, number + 1
                    last[going[turn]] = record = 1 + at * _RECORDS
                    time_, role = _BEGAN + timedelta(seconds=at), ("user", "assistant")[at % 2]
                    await copy.write_row(
                        (_id(going[turn]), 4096 * record, role, language.text(), time_, "{}")
                    )
        columns = (
            "session_id, agent_id, depth, title, status, token_limit, usage, model_call_count, "
            "waiting_calls, created_at, active_at, updated_at, last_sequence"
        )
        async with cursor.copy(f"COPY sessions ({columns}) FROM STDIN") as copy:
            for session, record in last.items():
                at_ = _BEGAN + timedelta(seconds=record // _RECORDS)
                title, usage = " ".join(language.some(4)), '{"input": 0, "output": 0, "tokens": 0}'
                row = (_id(session), "default", 0, title, "idle", 0, usage, 0, "[]", at_, at_, at_, record)
                await copy.write_row(row)
        event = (4096 * messages * _RECORDS, "", "", "{}")
        await cursor.execute("INSERT INTO events (place, subject, type, body) VALUES (%s, %s, %s, %s)", event)


def _id(number: int) -> str:
    return f"s_{number:08}"


async def _value(connection: psycopg.AsyncConnection[Any], sql: str) -> Any:
    row = await (await connection.execute(sql.encode())).fetchone()
    assert row is not None
    return row[0]


def _queries(language: Language) -> dict[str, list[str]]:
    chance, words = random.Random(9), language.words
    long = [word for word in words[2_000:] if len(word) > 6]

    def some(among: Sequence[str], number: int = 50) -> list[str]:
        return chance.sample(among, number)

    return {
        "a rare word": some(words[20_000:]),
        "a common word": some(words[:200]),
        "two words": [" ".join(pair) for pair in zip(some(words[:2_000]), some(words[:2_000]), strict=True)],
        "a phrase": [
            f'"{" ".join(pair)}"' for pair in zip(some(words[:200]), some(words[:200]), strict=True)
        ],
        "a part of a word": [word[1:-1] for word in some(long)],
        "nothing found": [f"{word}{other}" for word, other in zip(some(long), some(long), strict=True)],
        "two letters": sorted({word[:2] for word in some(words) if len(word) > 1}),
    }


async def _searched(dsn: str, language: Language) -> list[Figure]:
    database, figures = Postgres(dsn), []
    await database.open()
    try:
        for what, queries in _queries(language).items():
            took: list[float] = []
            found = 0
            for query in queries:
                began = time.perf_counter()
                async with database.snapshot() as snapshot:
                    page = await sessions.page(snapshot, SessionQuery(q=query), None, 50)
                took.append((time.perf_counter() - began) * 1000)
                found += len(page.items)
            note = f"{len(queries)} queries, each once; {found / len(queries):.0f} sessions on the first page"
            figures.append(Figure(GROUP, f"{what}, p50", median(took), "ms", None, note))
            figures.append(Figure(GROUP, f"{what}, p99", percentile(took, 0.99), "ms", at_most(_TARGET_MS)))
    finally:
        await database.close()
    return figures
