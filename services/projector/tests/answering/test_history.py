"""Searching what was said, in a real Postgres."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import psycopg
import pytest

from agent_contracts.ids import AgentId, SessionId
from agent_contracts.log.address import Address
from agent_contracts.questions.history_search import HistoryAnswer, SearchHistory
from projections.project.log_projection import LogProjection
from projections.schema import SCHEMA, SCHEMA_SQL
from projector.answering.history import AWAY, HistoryAnswerer
from projector.projecting.schemas import create, drop, swap
from projector.projecting.store import writing

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
Connection = psycopg.AsyncConnection[Any]


@pytest.fixture
async def tables(postgres_dsn: str) -> AsyncIterator[Connection]:
    async with await psycopg.AsyncConnection.connect(postgres_dsn, autocommit=True) as connection:
        await connection.execute(f"CREATE SCHEMA {SCHEMA}")
        await connection.execute(f"SET search_path TO {SCHEMA}")
        await connection.execute(SCHEMA_SQL.encode())
        yield connection


@pytest.fixture
def history(postgres_dsn: str) -> HistoryAnswerer:
    return HistoryAnswerer(postgres_dsn)


async def session(tables: Connection, name: str, agent: str = "a1", title: str | None = None) -> None:
    await tables.execute(
        """INSERT INTO sessions (session_id, agent_id, depth, title, status, token_limit, usage,
             model_call_count, waiting_calls, created_at, active_at,
             updated_at,             last_sequence, segments)
           VALUES (%s, %s, 0, %s, 'idle', 0, '{}', 0, '[]', %s, %s, %s, 9, %s)""",
        (name, agent, title, BEGAN, BEGAN, BEGAN, f'[["{name}", 0, null]]'),
    )


async def said(tables: Connection, name: str, sequence: int, text: str, role: str = "user") -> None:
    time = BEGAN + timedelta(minutes=sequence)
    await tables.execute(
        "INSERT INTO messages VALUES (%s, %s, %s, %s, %s, NULL, '{}')",
        (name, Address(sequence).place, role, text, time),
    )


async def search(
    history: HistoryAnswerer, query: str, limit: int = 10, but: str | None = None
) -> HistoryAnswer:
    asked = SearchHistory(AgentId("a1"), query, limit, SessionId(but) if but else None)
    return msgspec.json.decode(await history.answer(msgspec.json.encode(asked)), type=HistoryAnswer)


def events(answer: HistoryAnswer) -> list[str]:
    assert answer.error is None
    return [one.event for one in answer.found]


async def test_a_place_has_its_session_address_time_and_the_words_around(
    tables: Connection, history: HistoryAnswerer
) -> None:
    await session(tables, "s1", title="Trip")
    await said(tables, "s1", 5, "x " * 200 + "the Hotel\nis called Aurora " + "y " * 200, "assistant")
    (found,) = (await search(history, "aurora hotel")).found
    assert (found.session_id, found.title, found.role, found.event) == ("s1", "Trip", "assistant", "5")
    assert datetime.fromisoformat(found.time) == BEGAN + timedelta(minutes=5)
    assert "the Hotel is called Aurora" in found.snippet
    assert found.snippet.startswith("…")
    assert found.snippet.endswith("…")
    assert len(found.snippet) < 200


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Die Rechnungen liegen bei", "rechnung"),
        ("ÄPFEL und Birnen", "äpfel"),
        ("来週、東京タワーに行きます", "東京タワー"),
        ("мы едем в Киев", "КИЕВ"),
        ("see you at the café", "café you"),
        ("100% of 'it' \\ and {x}", "100%"),
        ("a & b | !c", "& |"),
        ("call me at +47 123", "+47"),
    ],
)
async def test_it_is_found_in_any_language_and_by_parts_of_words(
    tables: Connection, history: HistoryAnswerer, text: str, query: str
) -> None:
    await session(tables, "s1")
    await said(tables, "s1", 1, text)
    await said(tables, "s1", 2, "something else")
    assert events(await search(history, query)) == ["1"]


async def test_newest_first_of_messages_and_titles_up_to_the_limit(
    tables: Connection, history: HistoryAnswerer
) -> None:
    await session(tables, "s1", title="About pears")
    await session(tables, "s2", title="About pears and apples")
    for sequence in range(1, 6):
        await said(tables, "s1", sequence, f"pears {sequence}")
    answer = await search(history, "pears")
    assert [(one.role, one.event) for one in answer.found] == [
        *(("user", str(sequence)) for sequence in (5, 4, 3, 2, 1)),
        ("title", "9"),
    ]
    assert events(await search(history, "pears", limit=2)) == ["5", "4"]


async def test_other_agents_the_asking_session_and_what_a_rewind_hid_are_left_out(
    tables: Connection, history: HistoryAnswerer
) -> None:
    await session(tables, "s1")
    await session(tables, "s2", agent="a2", title="the word")
    await session(tables, "s3", title="the word")
    for name, sequence in (("s1", 1), ("s1", 2), ("s1", 3), ("s2", 4), ("s3", 5)):
        await said(tables, name, sequence, "the word")
    await said(tables, "s1", 6, "the word", "error")
    await tables.execute(
        "UPDATE sessions SET segments = %s WHERE session_id = 's1'",
        (f'[["s1", 0, {Address(1).place}], ["s1", {Address(2).place}, null]]',),
    )
    assert events(await search(history, "word", but="s3")) == ["3", "1"]


async def test_a_message_of_megabytes_is_stored_and_found_by_its_first_100_000_characters(
    tables: Connection, history: HistoryAnswerer
) -> None:
    await session(tables, "s1")
    await said(tables, "s1", 1, " ".join(f"w{number}é" for number in range(400_000)) + " theend")
    assert events(await search(history, "theend")) == []
    assert events(await search(history, "w77é")) == ["1"]


@pytest.mark.parametrize("query", ["", "   ", "'", "%", "\\", "a" * 400, "' OR 1=1 --", "<->", "a:* & !b"])
async def test_no_query_is_a_fault(tables: Connection, history: HistoryAnswerer, query: str) -> None:
    await session(tables, "s1")
    await said(tables, "s1", 1, "nothing of it")
    assert events(await search(history, query)) == []


async def read(tables: Connection, name: str, source: str) -> None:
    await tables.execute(
        """INSERT INTO tool_calls (session_id, call_id, position, tool, arguments, status, outside)
           VALUES (%s, %s, 0, 'web_read', '{}', 'completed', %s)""",
        (name, f"c-{source}", f'[{{"kind": "web", "name": "{source}", "at": "3", "session": "{name}"}}]'),
    )


async def test_what_was_found_has_the_sources_of_its_session_its_past_and_those_above(
    tables: Connection, history: HistoryAnswerer
) -> None:
    for name, source in (("above", "a.test"), ("origin", "o.test"), ("s1", "s.test"), ("other", "x.test")):
        await session(tables, name)
        await read(tables, name, source)
    await session(tables, "clean", title="a word")
    await tables.execute(
        """UPDATE sessions SET parent_id = 'above', segments = '[["origin", 0, 9], ["s1", 0, null]]'
           WHERE session_id = 's1'"""
    )
    await said(tables, "s1", 5, "a word", "assistant")
    await said(tables, "clean", 5, "a word")
    await said(tables, "s1", 6, "your build is done")
    await tables.execute("""UPDATE messages SET body = '{"woken_by": "ci"}' WHERE text LIKE 'your%%'""")
    found = {one.session_id: one.outside for one in (await search(history, "word")).found}
    names = {one.key for one in found[SessionId("s1")]}
    assert names == {("web", "o.test"), ("web", "s.test"), ("web", "a.test"), ("wake", "ci")}
    assert found[SessionId("clean")] == ()


async def test_without_tables_or_postgres_it_says_so(postgres_dsn: str, history: HistoryAnswerer) -> None:
    assert await search(history, "x") == AWAY
    away = HistoryAnswerer("postgresql://nobody@127.0.0.1:9/none")
    assert await search(away, "x") == AWAY


async def test_many_questions_at_once_are_answered(tables: Connection, history: HistoryAnswerer) -> None:
    await session(tables, "s1")
    await said(tables, "s1", 1, "one word")
    answers = await asyncio.gather(*(search(history, "word") for _ in range(30)))
    assert all(events(answer) == ["1"] for answer in answers)


async def test_searches_while_the_tables_are_replaced_find_all_or_say_that_they_cant(
    tables: Connection, postgres_dsn: str, history: HistoryAnswerer
) -> None:
    async def fill(schema: str) -> None:
        await tables.execute(f"SET search_path TO {schema}")
        await session(tables, "s1", title="none")
        for sequence in range(1, 40):
            await said(tables, "s1", sequence, f"the quokka number {sequence}")

    done = asyncio.Event()
    answers: list[HistoryAnswer] = []

    async def look() -> None:
        while not done.is_set():
            answers.append(await search(history, "uokk number", limit=5))

    await fill(SCHEMA)
    async with writing(postgres_dsn) as builder, asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(look())
        for _ in range(4):
            await create(builder, LogProjection(), "ready")
            await fill("ready")
            async with builder.transaction():
                await swap(builder, SCHEMA, "ready", "old")
            await drop(builder, "old")
        done.set()
    found = [events(answer) for answer in answers if answer != AWAY]
    assert len(found) >= len(answers) / 2
    assert all(one == ["39", "38", "37", "36", "35"] for one in found)
