"""What a port promises is kept by the runner's own and by the fakes that packs are tested with, alike."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import msgspec
import pytest

from agent_contracts.api.state import Operation
from agent_contracts.entities.agent_texts import LEARNED_NOTES, notepad_of
from agent_contracts.entities.definitions import LibraryDefinition, SkillDefinition
from agent_contracts.errors import ErrorKind, Rejected
from agent_contracts.ids import CallId
from agent_contracts.kinds.library import LIBRARY
from agent_contracts.kinds.skill import SKILL
from agent_domain.text_edits import TextEdit
from agent_tools.ports.agent import AgentDefinitions, AgentState, AgentTexts
from agent_tools.ports.database import AgentDatabase
from agent_tools.registry import Pack, Registry
from agent_tools.running.contexts import context_of_page
from agent_tools.tool import PURE, Arguments, Result, tool
from foldline_testing.agent_tools.world import AGENT, SESSION, CallWorld, PackWorld
from foldline_testing.tool_runner.world import World


class Nothing(Arguments):
    """No arguments."""


class Kept(Result):
    """Nothing to tell."""


class Ports(msgspec.Struct):
    """Those of one call."""

    state: AgentState
    texts: AgentTexts
    definitions: AgentDefinitions
    database: AgentDatabase


Opened = Callable[[], Awaitable[Ports]]


@pytest.fixture(params=["of the runner", "in memory"])
async def ports(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Opened]:
    """The ports of one more call of the same agent."""
    real = World(folder=tmp_path)
    world: CallWorld = real if request.param == "of the runner" else PackWorld()
    got: list[Ports] = []

    @tool("get", family="test", effect=PURE)
    async def get(
        args: Nothing, state: AgentState, texts: AgentTexts, definitions: AgentDefinitions, db: AgentDatabase
    ) -> Kept:
        """Get the ports."""
        got.append(Ports(state, texts, definitions, db))
        return Kept()

    toolbox = world.toolbox(Registry([Pack("test", "1", (get,))]))

    async def another() -> Ports:
        context = context_of_page(AGENT, CallId(f"q{len(got)}"), await world.log.last_sequence(), "get")
        await toolbox.opened(context).run(get, Nothing())
        return got[-1]

    yield another
    await real.databases.close()


async def test_state_is_kept_by_key_and_null_is_a_value(ports: Opened) -> None:
    state = (await ports()).state
    assert await state.get("a") is None
    await state.set("b", {"x": [1, None]})
    await state.set("a", None)
    assert await (await ports()).state.get("b") == {"x": [1, None]}
    assert await (await ports()).state.keys() == ["a", "b"]
    assert (await state.delete("a"), await state.delete("a")) == (True, False)
    assert await state.keys() == ["b"]


async def test_a_text_gets_a_version_by_each_edit_that_changes_it(ports: Opened) -> None:
    texts = (await ports()).texts
    assert (await texts.read(LEARNED_NOTES)).version == 0
    assert await texts.edit(LEARNED_NOTES, TextEdit(Operation.REPLACE, content="one")) == 1
    assert await texts.edit(LEARNED_NOTES, TextEdit(Operation.REPLACE, content="one")) == 1
    assert await texts.edit(LEARNED_NOTES, TextEdit(Operation.APPEND, content=" two")) == 2
    with pytest.raises(Rejected):
        await texts.edit(LEARNED_NOTES, TextEdit(Operation.DELETE, content="three"))
    found = await (await ports()).texts.read(LEARNED_NOTES)
    assert (found.text, found.version) == ("one two", 2)
    assert (await texts.read(notepad_of(SESSION))).text == ""


async def test_definitions_are_made_changed_listed_and_deleted(ports: Opened) -> None:
    made = (await ports()).definitions
    assert await made.create(LIBRARY, "b", LibraryDefinition("d", "1")) == 1
    assert await made.create(LIBRARY, "a", LibraryDefinition("d", "2")) == 1
    assert await made.create(SKILL, "a", SkillDefinition("d", "c")) == 1
    with pytest.raises(Rejected) as taken:
        await made.create(LIBRARY, "a", LibraryDefinition("d", "3"))
    assert taken.value.kind == ErrorKind.CONFLICT

    def change(before: LibraryDefinition) -> LibraryDefinition:
        return msgspec.structs.replace(before, code="4")

    assert [await made.update(LIBRARY, "a", change) for _ in range(2)] == [2, 2]
    later = (await ports()).definitions
    assert (await later.read(LIBRARY, "a")).value == LibraryDefinition("d", "4")
    assert [(one.name, one.version) for one in await later.list(LIBRARY)] == [("a", 2), ("b", 1)]
    assert (await later.delete(LIBRARY, "a"), await later.delete(LIBRARY, "a")) == (True, False)
    for missing in (later.read(LIBRARY, "a"), later.update(LIBRARY, "a", change)):
        with pytest.raises(Rejected) as gone:
            await missing
        assert gone.value.kind == ErrorKind.NOT_FOUND


async def test_the_database_says_what_statements_gave_and_did(ports: Opened) -> None:
    database = (await ports()).database
    made = await database.sql("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL)", [])
    assert made.columns is None
    wrote = await database.sql("INSERT INTO t (a) VALUES (?), (?)", ["x", "y"])
    assert (wrote.columns, wrote.changes, wrote.last_insert_rowid) == (None, 2, 2)
    gave = await database.sql("INSERT INTO t (a) VALUES ('z') RETURNING id", [])
    assert (gave.columns, gave.rows, gave.changes) == (["id"], [[3]], 1)
    later = (await ports()).database
    read = await later.sql("SELECT a FROM t WHERE id > ? ORDER BY id", [1])
    assert (read.columns, read.rows, read.truncated, read.changes) == (["a"], [["y"], ["z"]], False, None)
    (table,) = await later.tables()
    assert (table.name, table.row_count) == ("t", 3)
    assert [(one.name, one.type, one.pk, one.notnull) for one in table.columns] == [
        ("id", "INTEGER", True, False),
        ("a", "TEXT", False, True),
    ]
    with pytest.raises(Rejected):
        await later.sql("SELECT nothing FROM nowhere", [])
