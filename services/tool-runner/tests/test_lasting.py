"""Deletions after material from outside: they say from where, and ask a person, whoever asks for them."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from agent_contracts.entities.database_events import DatabaseWritten
from agent_contracts.entities.entity import EntityDeleted, EntityKind
from agent_contracts.ids import SessionId
from agent_contracts.json_value import Json
from agent_contracts.log.subjects import all_entities_of
from agent_contracts.outside import Source
from agent_contracts.policies import Grant, Match
from agent_contracts.tool_spec import Effect
from agent_platform.log.events import events
from foldline_testing.agent_tools.world import AGENT, SESSION
from foldline_testing.tool_runner.world import World

PAGE = Source("web", "evil.example", "7", SESSION)
THREE_ROWS: tuple[tuple[str, dict[str, Json]], ...] = (
    ("db_sql", {"sql": "CREATE TABLE tea (name TEXT, price REAL)"}),
    ("db_sql", {"sql": "CREATE VIEW cheap AS SELECT name FROM tea"}),
    ("db_sql", {"sql": "INSERT INTO tea VALUES ('Assam', 4), ('Oolong', 7), ('Sencha', 5)"}),
    ("set_state", {"key": "kept", "value": 1}),
    ("file_create", {"path": "keep.txt", "text": "kept"}),
)
LOSING: tuple[tuple[str, dict[str, Json]], ...] = (
    ("delete_state", {"key": "kept"}),
    ("file_delete", {"path": "keep.txt"}),
    ("db_sql", {"sql": "DROP TABLE tea"}),
    ("db_sql", {"sql": "/* tidy */ DROP VIEW IF EXISTS cheap"}),
    ("db_sql", {"sql": "ALTER TABLE tea DROP COLUMN price"}),
    ("db_sql", {"sql": "DELETE FROM tea"}),
    ("db_sql", {"sql": "WITH low AS (SELECT 0 AS p) DELETE FROM tea WHERE price > (SELECT p FROM low)"}),
    ("run_sandbox_code", {"code": "return await state.delete('kept')"}),
    ("run_sandbox_code", {"code": "return await files.delete({ path: 'keep.txt' })"}),
    ("run_sandbox_code", {"code": "return await db.sql('DROP TABLE tea')"}),
)
NOT_LOSING: tuple[tuple[str, dict[str, Json]], ...] = (
    ("db_sql", {"sql": "DELETE FROM tea WHERE price > 100"}),
    ("db_sql", {"sql": "DELETE FROM tea WHERE name = 'Assam'"}),
    ("db_sql", {"sql": "DROP TABLE IF EXISTS coffee"}),
    ("db_sql", {"sql": "UPDATE tea SET price = 8 WHERE name = 'Assam'"}),
    ("db_sql", {"sql": "ALTER TABLE tea RENAME COLUMN price TO cost"}),
    ("delete_state", {"key": "never"}),
    ("file_delete", {"path": "never.txt"}),
)


@pytest.fixture
async def world() -> AsyncIterator[World]:
    made = World()
    for number, (tool, arguments) in enumerate(THREE_ROWS):
        ended = await made.run(tool, arguments, call_id=f"before-{number}", effect=Effect.RECORDED)
        assert getattr(ended, "error", None) is None, ended
    yield made
    await made.documents.close()


def effect_of(tool: str) -> Effect:
    return Effect.EXTERNAL if tool == "run_sandbox_code" else Effect.RECORDED


@pytest.mark.parametrize(
    ("tool", "arguments"), LOSING, ids=[f"{t} {next(iter(a.values()))}" for t, a in LOSING]
)
async def test_what_takes_something_away_after_a_page_waits_for_a_person_and_has_done_nothing(
    world: World, tool: str, arguments: dict[str, Json]
) -> None:
    before = await world.log.last_sequence()
    ended = await world.run(tool, arguments, effect=effect_of(tool), outside=(PAGE,))
    asked = ended.show
    assert (asked["kind"], asked["run"]) == ("approval", True)
    assert [one["name"] for one in asked["outside"]] == ["evil.example"]
    assert asked["asks"]["arguments"], "what would be deleted is shown"
    written = [one async for one in world.log.read(f"agt.{AGENT}.>", after=before)]
    assert written == []


@pytest.mark.parametrize(
    ("tool", "arguments"), LOSING, ids=[f"{t} {next(iter(a.values()))}" for t, a in LOSING]
)
async def test_a_yes_lets_it_and_the_deletion_says_from_where_the_session_had_read(
    world: World, tool: str, arguments: dict[str, Json]
) -> None:
    before = await world.log.last_sequence()
    paused = await world.run(tool, arguments, effect=effect_of(tool), outside=(PAGE,))
    world.grants = (Grant(Match(tool=paused.show["covers"]["tool"])),)
    ended = await world.run(tool, arguments, call_id="again", effect=effect_of(tool), outside=(PAGE,))
    assert getattr(ended, "error", None) is None, ended
    lost = [one async for one in events(world.log.read(f"agt.{AGENT}.>", after=before))]
    marked: list[Any] = [one.event for one in lost if isinstance(one.event, EntityDeleted | DatabaseWritten)]
    assert marked
    assert {one.outside for one in marked if getattr(one, "kind", None) is not EntityKind.PATH} == {(PAGE,)}


@pytest.mark.parametrize(
    ("tool", "arguments"), LOSING, ids=[f"{t} {next(iter(a.values()))}" for t, a in LOSING]
)
async def test_without_a_page_nobody_is_asked(world: World, tool: str, arguments: dict[str, Json]) -> None:
    ended = await world.run(tool, arguments, effect=effect_of(tool))
    assert getattr(ended, "error", None) is None, ended
    assert not hasattr(ended, "show")


@pytest.mark.parametrize(("tool", "arguments"), NOT_LOSING, ids=[str(a) for _, a in NOT_LOSING])
async def test_where_nothing_is_lost_nobody_is_asked(
    world: World, tool: str, arguments: dict[str, Json]
) -> None:
    ended = await world.run(tool, arguments, effect=Effect.RECORDED, outside=(PAGE,))
    assert getattr(ended, "error", None) is None, ended
    assert not hasattr(ended, "show")


@pytest.mark.parametrize(
    ("make", "delete", "arguments"),
    [
        ("file_create", "file_delete", {"path": "scratch.txt"}),
        ("set_state", "delete_state", {"key": "scratch"}),
    ],
)
async def test_what_the_session_made_of_the_page_itself_goes_unasked_and_in_another_session_it_does_not(
    world: World, make: str, delete: str, arguments: dict[str, Json]
) -> None:
    content: dict[str, Json] = {"text": "t", "scope": "agent"} if make == "file_create" else {"value": 1}
    for call_id in ("c1", "c3"):
        made = await world.run(
            make, arguments | content, call_id=call_id, effect=Effect.RECORDED, outside=(PAGE,)
        )
        assert getattr(made, "error", None) is None, made
        if call_id == "c1":
            gone = await world.run(delete, arguments, call_id="c2", effect=Effect.RECORDED, outside=(PAGE,))
            assert gone.result == {"deleted": True}
    elsewhere = await world.run(
        delete,
        arguments,
        call_id="c4",
        session_id=SessionId("s_later"),
        effect=Effect.RECORDED,
        outside=(PAGE,),
    )
    assert elsewhere.show["kind"] == "approval"


async def test_a_rename_and_a_switch_say_from_where_too(world: World) -> None:
    before = await world.log.last_sequence()
    arguments: dict[str, Json] = {"path": "keep.txt", "new_path": "moved.txt"}
    await world.run("file_rename", arguments, effect=Effect.RECORDED, outside=(PAGE,))
    written = [one async for one in events(world.log.read(all_entities_of(AGENT), after=before))]
    moved = [one.event for one in written if one.event.kind is EntityKind.FILE]
    assert [one.outside for one in moved] == [(PAGE,)]
