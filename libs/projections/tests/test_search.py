"""Searching, in a real Postgres: what is found by which words, in which order, and where it is marked."""

import random
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row

from agent_contracts.errors import Rejected
from projections.message_search import ReadRows, SearchScope, message_condition, newest_found
from projections.schema import SCHEMA, SCHEMA_SQL
from projections.search import MOST_WORDS, condition, parameters, snippet, terms_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)
END = 2**63 - 1
Connection = psycopg.AsyncConnection[dict[str, Any]]


@pytest.fixture
async def tables(postgres_dsn: str) -> AsyncIterator[Connection]:
    async with await psycopg.AsyncConnection.connect(
        postgres_dsn, autocommit=True, row_factory=dict_row
    ) as connection:
        await connection.execute(f"CREATE SCHEMA {SCHEMA}")
        await connection.execute(f"SET search_path TO {SCHEMA}")
        await connection.execute(SCHEMA_SQL.encode())
        yield connection


async def said(tables: Connection, text: str, session: str = "s1", record: int = 1) -> None:
    await tables.execute(
        "INSERT INTO messages VALUES (%s, %s, 'user', %s, %s, NULL, '{}')",
        (session, 4096 * record, text, NOW),
    )


def reading(tables: Connection) -> ReadRows:
    async def rows(sql: str, **given: object) -> list[Mapping[str, Any]]:
        return [*await (await tables.execute(sql.encode(), given)).fetchall()]

    return rows


async def has(tables: Connection, text: str, query: str, *, by_index: bool) -> bool:
    """Whether the text has what is searched for; by the index of messages, or by reading it."""
    await tables.execute("TRUNCATE messages, message_words")
    await said(tables, text)
    await tables.execute(f"SET enable_seqscan = {'off' if by_index else 'on'}")
    terms, rows = terms_of(query), reading(tables)
    sql, given = condition(terms, "searchable(m.text, m.rating_text)"), dict[str, Any](parameters(terms))
    if by_index:
        searched = await message_condition(rows, terms)
        sql, given = searched.sql, {**searched.parameters}
    return bool((await rows(f"SELECT count(*) AS number FROM messages m WHERE {sql}", **given))[0]["number"])


@pytest.mark.parametrize("by_index", [True, False])
@pytest.mark.parametrize(
    ("text", "found", "missed"),
    [
        ("A quokka smiles", ["quok", "okka", "QUOKKA smiles", "smiles quokka", "kka"], ["quokkas", "a frog"]),
        ("Crème brûlée, déjà vu", ["creme", "BRULEE", "brûlée", "deja vu"], ["cremé2"]),
        ("see src/foo_bar.py:12 at 0x7f", ["foo_bar", "_bar", "bar.py", "0x7f", "o_b", ":12"], ["foo-bar"]),
        ("the red  fox\nran", ['"red fox"', '"fox ran"', '"RED  fox ran"'], ['"fox red"', '"red ran"']),
        (
            "100% of a_b and {x} \\ it's",
            ["100%", "a_b", "{x}", "\\", "it's", '"of a_b and"'],
            ["100_", "a%b"],
        ),
        ("来週、東京タワーに行きます", ["東京タワー", "東京", "東", "東京 来週", "タワ"], ["京東", "大阪"]),
        ("서울에서 만나요", ["서울", "만나", "에서"], ["부산"]),
        ("мы едем в Киев, ёж", ["КИЕВ", "иев", "еж"], ["москва"]),
        ("ไปเที่ยวทะเลกัน", ["ทะเล"], ["ภูเขา"]),
        ("Straße ΑΘΗΝΑ smörgås", ["strasse", "αθηνα", "smorgas"], ["strase"]),
        ("go to an inn", ["go", "in", "a", "to go"], ["o", "nn"]),
        ("a & b | !c, 🎉 done", ["&", "& |", "!c", "🎉"], ["^", "🎈"]),
        ("a.*b [x] (y) $z", ['".*b [x] (y) $z"', "[x]", ".*b"], ['"a..*b"', '"[y] (x)"']),
        ("nul", ["\x00nul\x00"], []),
    ],
)
async def test_what_is_found(
    tables: Connection, text: str, found: list[str], missed: list[str], by_index: bool
) -> None:
    for query in found:
        assert await has(tables, text, query, by_index=by_index), query
    for query in missed:
        assert not await has(tables, text, query, by_index=by_index), query


def marked(text: str, query: str) -> list[str]:
    return [part.text for part in snippet(text, terms_of(query)) if part.match]


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("A Quokka, another quokka", "quok", ["Quok", "quok"]),
        ("Crème brûlée", "BRULEE creme", ["Crème", "brûlée"]),
        ("Straße x", "strasse", ["Straße"]),
        ("🎉 the red\nfox ran", '"red fox"', ["red fox"]),
        ("来週、東京タワー", "東京", ["東京"]),
        ("go again to a bingo", "go", ["go"]),
        ("nothing", "else", []),
        ("", "else", []),
    ],
)
def test_what_is_marked(text: str, query: str, expected: list[str]) -> None:
    assert marked(text, query) == expected


def test_a_snippet_is_what_stands_around_the_first_word_on_one_line() -> None:
    text = "é" * 5_000 + "\n\nthe  needle\n" + "y " * 5_000
    whole = "".join(part.text for part in snippet(text, terms_of("needle")))
    assert whole.startswith("…é")
    assert "é the needle y y" in whole
    assert whole.endswith("…")
    assert len(whole) < 170


def test_too_many_words_are_refused_and_the_same_word_counts_once() -> None:
    assert len(terms_of("word " * 1_000)) == 1
    with pytest.raises(Rejected, match="at most 20 words, this one has 1000"):
        terms_of(" ".join(f"w{number}" for number in range(1_000)))
    assert len(terms_of('"' + "a b " * 1_000 + '"')) == 1
    assert terms_of(' "" \x00 " " ') == ()
    assert MOST_WORDS == 20


@pytest.mark.parametrize(
    "query",
    ["%" * 200, "_" * 200, "\\" * 200, "a" * 10_000, "x'; DROP TABLE messages; --", "[" * 50, "(" * 9],
)
async def test_no_query_is_a_fault(tables: Connection, query: str) -> None:
    for one in (query, f'"{query} {query}"'):
        assert not await has(tables, "nothing of it", one, by_index=True)
        assert await has(tables, f"before {one.strip(chr(34))} after", one, by_index=False)


async def test_sessions_are_found_newest_first_in_whatever_steps(tables: Connection) -> None:
    """In blocks, then in all; by sessions, where they are few: the same messages, each once."""
    chance = random.Random(4)
    expected = {"common": list[tuple[str, int]](), "rare": list[tuple[str, int]]()}
    await tables.execute(
        "INSERT INTO events (place, subject, type, body) VALUES (%s, '', '', '{}')", [4096 * 400_000]
    )
    for number in range(300):
        record, session = number * 1_300 + 1, f"s{chance.randrange(30)}"
        words = "common rare" if number % 50 == 0 else "common"
        await said(tables, f"it is {words}", session, record)
        for word in words.split():
            expected[word].insert(0, (session, 4096 * record))
    for session in {one[0] for one in expected["common"]}:
        await tables.execute(
            """INSERT INTO sessions (session_id, agent_id, depth, status, token_limit, usage,
               model_call_count, waiting_calls, created_at, active_at, updated_at, last_sequence)
               VALUES (%s, 'a', 0, 'idle', 0, '{}', 0, '[]', %s, %s, %s, 1)""",
            [session, NOW, NOW, NOW],
        )

    rows = reading(tables)
    for word, all_of in expected.items():
        for narrow in (True, False):
            for below in (END, all_of[len(all_of) // 2][1]):
                scope = SearchScope("s.agent_id = %(agent)s", {"agent": "a"}, is_narrow=narrow)
                searched = await message_condition(rows, terms_of(word))
                steps = [step async for step in newest_found(rows, searched, scope, below)]
                assert [one for step in steps for one in step] == [one for one in all_of if one[1] < below]
