"""What people ask is answered by the agent's own tools, and stores nothing."""

from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from agent_contracts import event_sources
from agent_contracts.entities.database_events import DatabaseWritten
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.tool_answers import ToolAnswer
from agent_contracts.errors import ErrorKind
from agent_contracts.event_sources import Actor
from agent_contracts.json_value import Json
from agent_contracts.log.subjects import database_subject
from agent_contracts.questions.user_questions import (
    CheckDefinition,
    FetchedPicture,
    FetchPicture,
    ReadDatabase,
)
from agent_contracts.tool_spec import Effect
from agent_platform.log.event_message import Origin, event_message
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_tools.world import AGENT
from foldline_testing.egress.web import answered, local_server
from foldline_testing.tool_runner.world import World

TOOL = {"description": "d", "parameter_schema": {"type": "object"}, "code": "return 1"}
LIBRARY = {"description": "d", "code": "exports.a = 1"}
COMPONENT = {"description": "d", "code": "export default () => null"}
SKILL = {"description": "d", "content": "c", "tags": ["t"]}
SQUARE = {"props_schema": {"type": "object", "properties": {"n": {"type": "number"}}}}


@pytest.fixture
async def world() -> AsyncIterator[World]:
    world = World()
    yield world
    await world.databases.close()


async def check(world: World, kind: EntityKind, name: str, definition: dict[str, Json]) -> ToolAnswer:
    question = msgspec.json.encode(CheckDefinition(AGENT, kind, name, definition))
    return msgspec.json.decode(await world.questions().check(question), type=ToolAnswer)


async def read(world: World, sql: str | None = None, *params: Json, at: int | None = None) -> ToolAnswer:
    question = msgspec.json.encode(ReadDatabase(AGENT, sql, list(params), at))
    return msgspec.json.decode(await world.questions().read(question), type=ToolAnswer)


async def test_rows_are_given_from_any_place_and_long_values_cut(world: World) -> None:
    for sql in (
        "CREATE TABLE t (n INTEGER, text TEXT, bytes BLOB)",
        "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 100) "
        "INSERT INTO t SELECT i, printf('%.*c', 500000, 'x'), zeroblob(400000) FROM c",
    ):
        await world.run("db_sql", {"sql": sql}, call_id=sql[:4].strip(), effect=Effect.RECORDED)
    asked = ReadDatabase(AGENT, "SELECT * FROM t", skip=98, rows=1, cell=3)
    answer = msgspec.json.decode(await world.questions().read(msgspec.json.encode(asked)), type=ToolAnswer)
    assert answer.result == {
        "columns": ["n", "text", "bytes"],
        "rows": [[99, {"$cut": "xxx", "size": 500000}, {"$cut": {"$base64": "AAAA"}, "size": 400000}]],
        "row_count": 1,
        "truncated": True,
    }


async def test_a_database_that_cannot_be_made_again_says_what_is_safe_and_what_to_do(world: World) -> None:
    tampered = DatabaseWritten("INSERT INTO nowhere VALUES (1)", [], 0, "00" * 8, 1, 1)
    subject = database_subject(AGENT)
    message, _ = event_message(
        tampered, subject, Origin(event_sources.RUNNER, Actor.AGENT, prev=0), SystemClock()
    )
    sequence = await world.log.append(message)
    for sql in (None, "SELECT 1"):
        answer = await read(world, sql)
        assert answer.error is not None
        assert answer.error.kind is ErrorKind.CONFLICT
        assert f"event {sequence} can't be done again: no such table: nowhere" in answer.error.message
        assert "a restore of the agent to that event mends it" in answer.error.message
        assert (await read(world, sql, at=sequence - 1)).error is None


@pytest.mark.parametrize(
    ("kind", "name", "given", "more"),
    [
        (EntityKind.TOOL, "to_f", TOOL, {"enabled": True}),
        (EntityKind.FUNCTION, "to_f", TOOL, {"enabled": True}),
        (EntityKind.LIBRARY, "math", LIBRARY, {}),
        (EntityKind.COMPONENT, "My page", COMPONENT, {"props_schema": None}),
        (EntityKind.COMPONENT, "My page", {**COMPONENT, **SQUARE}, {}),
        (EntityKind.SKILL, "how-to", SKILL, {"enabled": True}),
    ],
)
async def test_a_definition_comes_back_as_it_is_to_be_stored(
    world: World, kind: EntityKind, name: str, given: dict[str, Any], more: dict[str, Any]
) -> None:
    assert await check(world, kind, name, given) == ToolAnswer({**given, **more})
    assert await world.log.last_sequence() == 0


@pytest.mark.parametrize(
    ("kind", "name", "change", "error", "path"),
    [
        (EntityKind.TOOL, "To_f", {}, ErrorKind.INVALID_ARGUMENTS, "/name"),
        (EntityKind.TOOL, "get_state", {}, ErrorKind.REJECTED, "/name"),
        (EntityKind.FUNCTION, "get_state", {}, ErrorKind.REJECTED, "/name"),
        (EntityKind.TOOL, "t", {"description": ""}, ErrorKind.INVALID_ARGUMENTS, "/description"),
        (EntityKind.TOOL, "t", {"extra": 1}, ErrorKind.INVALID_ARGUMENTS, "/extra"),
        (EntityKind.TOOL, "t", {"parameter_schema": {}}, ErrorKind.REJECTED, "/parameter_schema/type"),
        (
            EntityKind.TOOL,
            "t",
            {"parameter_schema": {"type": "object", "required": 1}},
            ErrorKind.INVALID_ARGUMENTS,
            "/parameter_schema/required",
        ),
        (EntityKind.FUNCTION, "f", {"code": "a\n  b(("}, ErrorKind.REJECTED, "/code"),
    ],
)
async def test_what_the_agents_tools_refuse_is_refused_in_the_same_words(
    world: World, kind: EntityKind, name: str, change: dict[str, Any], error: ErrorKind, path: str
) -> None:
    answer = await check(world, kind, name, {**TOOL, **change})
    maker = "create_tool" if kind is EntityKind.TOOL else "create_function"
    own = await world.run(maker, {"name": name, **TOOL, **change}, effect=Effect.RECORDED)
    assert answer.error is not None
    assert (answer.error.kind, answer.error.path) == (error, path)
    assert own.error.message.removeprefix(f"{maker}: ") == answer.error.message


async def test_code_that_does_not_parse_says_where(world: World) -> None:
    answer = await check(world, EntityKind.LIBRARY, "lib", {**LIBRARY, "code": "a\n  b(("})
    assert answer.error is not None
    assert answer.error.details == {"line": 2, "column": 6}


@pytest.mark.parametrize("kind", [EntityKind.STATE, EntityKind.PROMPT])
async def test_other_kinds_have_no_such_check(world: World, kind: EntityKind) -> None:
    answer = await check(world, kind, "x", {})
    assert answer.error is not None
    assert answer.error.kind is ErrorKind.INTERNAL


async def test_the_database_is_read_now_and_as_it_was(world: World) -> None:
    async def sql(call_id: str, statement: str) -> None:
        await world.run("db_sql", {"sql": statement}, call_id=call_id, effect=Effect.RECORDED)

    await sql("c1", "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT NOT NULL)")
    await sql("c2", "INSERT INTO t VALUES (1, 'x')")
    then = await world.log.last_sequence()
    await sql("c3", "DELETE FROM t")
    (table,) = (await read(world, at=then)).result["tables"]
    assert (table["name"], table["row_count"]) == ("t", 1)
    assert (await read(world)).result["tables"][0]["row_count"] == 0
    answer = await read(world, "SELECT b, ? FROM t", 2**60, at=then)
    assert answer.result == {
        "columns": ["b", "?"],
        "rows": [["x", str(2**60)]],
        "row_count": 1,
        "truncated": False,
    }
    assert (await read(world, "SELECT * FROM t")).result["rows"] == []


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("CREATE TABLE t (a)", ErrorKind.BLOCKED),
        ("ATTACH 'x' AS y", ErrorKind.BLOCKED),
        ("SELEC", ErrorKind.INVALID_ARGUMENTS),
        ("SELECT 1; SELECT 2", ErrorKind.INVALID_ARGUMENTS),
    ],
)
@pytest.mark.parametrize("past", [False, True])
async def test_it_is_only_read(world: World, statement: str, kind: ErrorKind, past: bool) -> None:
    await world.run("db_sql", {"sql": "CREATE TABLE a (a)"}, effect=Effect.RECORDED)
    before = await world.log.last_sequence()
    answer = await read(world, statement, at=before if past else None)
    assert answer.error is not None
    assert answer.error.kind is kind
    assert await world.log.last_sequence() == before


async def test_a_question_that_is_none_is_answered(world: World) -> None:
    for told in (await world.questions().check(b"{}"), await world.questions().read(b"[")):
        assert b'"internal"' in told


async def test_a_picture_is_fetched_by_the_way_out_and_nothing_else_is() -> None:
    pages = {
        "/a.png": answered(b"\x89PNG\r\n\x1a\n\0\0", "Content-Type: text/html"),
        "/page": answered(b"<html>", "Content-Type: image/png"),
        "/gone": answered(b"no", status=404),
    }
    async with local_server(lambda request: pages[request.split()[1]]) as server:
        questions = World().questions()

        async def fetched(path: str) -> ToolAnswer:
            asked = FetchPicture(AGENT, server.url("a.test", path))
            return msgspec.json.decode(await questions.picture(msgspec.json.encode(asked)), type=ToolAnswer)

        found = msgspec.convert((await fetched("/a.png")).result, FetchedPicture)
        assert (found.media_type, found.size) == ("image/png", 10)
        for path, words in (("/page", "not a picture"), ("/gone", "status 404")):
            refused = (await fetched(path)).error
            assert refused is not None
            assert words in refused.message
