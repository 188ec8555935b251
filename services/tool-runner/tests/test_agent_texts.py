"""The identity and notepad families: an agent's texts, edited by itself."""

import asyncio
from typing import Any

import pytest

from agent_contracts import event_sources
from agent_contracts.entities.agent_texts import DEFAULT_PROMPT
from agent_contracts.entities.entity import EntityKind, EntityWritten
from agent_contracts.errors import ErrorKind
from agent_contracts.event_sources import Actor
from agent_contracts.ids import CallId, SessionId
from agent_contracts.tool_spec import Effect
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from foldline_testing.agent_tools.world import AGENT, SESSION
from foldline_testing.tool_runner.world import World
from tool_runner.core import discover

PROMPT, NOTES = (EntityKind.PROMPT, "prompt"), (EntityKind.NOTES, "notes")
NOTEPAD = (EntityKind.NOTEPAD, SESSION)
FAMILIES = {
    "edit_system_prompt": ("read_system_prompt", "prompt", PROMPT),
    "edit_learned_notes": ("read_learned_notes", "notes", NOTES),
    "update_notepad": ("read_notepad", "content", NOTEPAD),
}


class Calls:
    """Calls of one session, numbered."""

    def __init__(self, world: World, session_id: SessionId = SESSION) -> None:
        self.world = world
        self._session_id = session_id
        self._count = 0

    async def __call__(self, tool: str, **arguments: Any) -> Any:
        """The event that ends the call."""
        self._count += 1
        return await self.world.run(tool, arguments, call_id=f"c{self._count}", session_id=self._session_id)

    async def result(self, tool: str, **arguments: Any) -> Any:
        """The call's result."""
        return (await self(tool, **arguments)).result


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def call(world: World) -> Calls:
    return Calls(world)


async def history(world: World, which: tuple[EntityKind, str]) -> Any:
    return await Entities(world.log, world.clock, event_sources.RUNNER).history(EntityKey(AGENT, *which))


async def test_an_agent_that_never_changed_its_prompt_reads_the_built_in_one(call: Calls) -> None:
    assert await call.result("read_system_prompt") == {"prompt": DEFAULT_PROMPT, "version": 0}
    assert await call.result("read_learned_notes") == {"notes": "", "version": 0}
    assert await call.result("read_notepad") == {"content": "", "version": 0}


@pytest.mark.parametrize("tool", FAMILIES)
async def test_every_operation_makes_the_next_version(call: Calls, tool: str) -> None:
    read, member, which = FAMILIES[tool]
    edits: list[tuple[dict[str, Any], str]] = [
        ({"operation": "replace", "content": "a b a"}, "a b a"),
        ({"operation": "append", "content": "\r\nc"}, "a b a\r\nc"),
        ({"operation": "prepend", "content": "é"}, "éa b a\r\nc"),
        ({"operation": "find_replace", "find": "a", "replace": "."}, "é. b a\r\nc"),
        ({"operation": "find_replace", "find": ".", "replace": "a", "replace_all": True}, "éa b a\r\nc"),
        ({"operation": "delete", "content": "a"}, "é b a\r\nc"),
        ({"operation": "replace", "content": ""}, ""),
    ]
    for version, (edit, text) in enumerate(edits, 1):
        assert await call.result(tool, **edit) == {"version": version}
        assert await call.result(read) == {member: text, "version": version}
    assert [event.event.value for event in await history(call.world, which)] == [text for _, text in edits]


@pytest.mark.parametrize("tool", FAMILIES)
async def test_an_edit_to_the_same_text_succeeds_and_makes_no_version(call: Calls, tool: str) -> None:
    _, _, which = FAMILIES[tool]
    await call(tool, operation="replace", content="same")
    for edit in (
        {"operation": "replace", "content": "same"},
        {"operation": "append", "content": ""},
        {"operation": "find_replace", "find": "same", "replace": "same"},
    ):
        assert await call.result(tool, **edit) == {"version": 1}
    assert len(await history(call.world, which)) == 1


@pytest.mark.parametrize("tool", FAMILIES)
@pytest.mark.parametrize(
    ("edit", "kind", "path"),
    [
        ({"operation": "find_replace", "find": "x", "replace": ""}, "rejected", "/find"),
        ({"operation": "delete", "content": "x"}, "rejected", "/content"),
        ({"operation": "find_replace", "find": "", "replace": "y"}, "invalid_arguments", "/find"),
        ({"operation": "find_replace", "find": "a"}, "invalid_arguments", "/replace"),
        ({"operation": "append"}, "invalid_arguments", "/content"),
        ({"operation": "append", "content": None}, "invalid_arguments", "/content"),
        ({"operation": "shorten", "content": "a"}, "invalid_arguments", "/operation"),
        ({"content": "a"}, "invalid_arguments", "/operation"),
        ({"operation": "append", "content": 1}, "invalid_arguments", "/content"),
        ({"operation": "append", "content": "a", "text": "b"}, "invalid_arguments", "/text"),
        ({"operation": "replace", "content": "x" * 1_100_000}, "too_large", None),
    ],
)
async def test_an_edit_that_cant_be_made_changes_nothing_and_says_why(
    call: Calls, tool: str, edit: dict[str, Any], kind: str, path: str | None
) -> None:
    _, _, which = FAMILIES[tool]
    await call(tool, operation="replace", content="abc")
    event = await call(tool, **edit)
    assert (event.error.kind, event.error.path, event.error.retryable) == (ErrorKind(kind), path, False)
    assert len(await history(call.world, which)) == 1


async def test_what_an_operation_has_no_use_for_is_ignored(call: Calls) -> None:
    edit = {"operation": "append", "content": "a", "find": "", "replace": None, "replace_all": False}
    assert await call.result("edit_learned_notes", **edit) == {"version": 1}


async def test_text_that_nobody_can_store_is_replaced(call: Calls) -> None:
    await call("write_notepad", content="a\x00b")
    assert await call.result("read_notepad") == {"content": "a\ufffdb", "version": 1}


async def test_the_first_edit_of_the_built_in_prompt_starts_from_its_text(call: Calls) -> None:
    assert await call.result("edit_system_prompt", operation="append", content="\nBe kind.") == {"version": 1}
    assert await call.result("read_system_prompt") == {"prompt": f"{DEFAULT_PROMPT}\nBe kind.", "version": 1}


async def test_the_prompt_and_notes_are_the_agents_and_the_notepad_is_the_sessions(world: World) -> None:
    one, other = Calls(world), Calls(world, SessionId("s2"))
    await one("edit_system_prompt", operation="replace", content="P")
    await one("edit_learned_notes", operation="append", content="N")
    await one("write_notepad", content="mine")
    assert await other.result("read_system_prompt") == {"prompt": "P", "version": 1}
    assert await other.result("read_learned_notes") == {"notes": "N", "version": 1}
    assert await other.result("read_notepad") == {"content": "", "version": 0}
    assert await other.result("write_notepad", content="theirs") == {"version": 1}
    assert await one.result("read_notepad") == {"content": "mine", "version": 1}


async def test_each_version_says_which_call_made_it_and_what_it_replaced(world: World, call: Calls) -> None:
    await call("edit_system_prompt", operation="replace", content="one")
    await call("edit_system_prompt", operation="replace", content="two")
    first, second = await history(world, PROMPT)
    assert first.event == EntityWritten(*PROMPT, "one", 1, SESSION, CallId("c1"), None)
    assert second.event == EntityWritten(*PROMPT, "two", 2, SESSION, CallId("c2"), first.sequence)
    assert (first.envelope.id, first.envelope.actor) == ("s1:c1:1", Actor.AGENT)


async def test_edits_of_several_sessions_at_once_are_all_made(world: World) -> None:
    sessions = [Calls(world, SessionId(f"s{n}")) for n in range(5)]
    results = await asyncio.gather(
        *(
            calls.result("edit_learned_notes", operation="append", content=f"{number};")
            for number, calls in enumerate(sessions)
        )
    )
    assert sorted(result["version"] for result in results) == [1, 2, 3, 4, 5]
    found = await sessions[0].result("read_learned_notes")
    assert sorted(found["notes"].split(";")) == ["", *"01234"]


async def test_an_edit_goes_onto_what_a_person_wrote_meanwhile(world: World, call: Calls) -> None:
    await call("edit_learned_notes", operation="replace", content="likes tea")
    entities = Entities(world.log, world.clock, event_sources.RUNNER)
    await entities.write(EntityKey(AGENT, *NOTES), "likes coffee", EntityWriter.user("e1"))
    event = await call("edit_learned_notes", operation="find_replace", find="tea", replace="rum")
    assert event.error.kind is ErrorKind.REJECTED
    assert await call.result("read_learned_notes") == {"notes": "likes coffee", "version": 2}


async def test_what_people_marked_as_theirs_in_the_prompt_stays(world: World, call: Calls) -> None:
    marked = "Be kind.\n<people-only>\nNever pay.\n</people-only>"
    entities = Entities(world.log, world.clock, event_sources.RUNNER)
    for which in (PROMPT, NOTES):
        await entities.write(EntityKey(AGENT, *which), marked, EntityWriter.user(f"e{which}"))
    for edit in (
        {"operation": "replace", "content": "Pay."},
        {"operation": "find_replace", "find": "Never", "replace": "Always"},
        {"operation": "delete", "content": "<people-only>\n"},
    ):
        event = await call("edit_system_prompt", **edit)
        assert event.error.kind is ErrorKind.REFUSED
        assert "for people alone to change" in event.error.message
    assert await call.result("edit_system_prompt", operation="prepend", content="Be brief. ") == {
        "version": 2
    }
    assert (await call.result("read_system_prompt"))["prompt"] == f"Be brief. {marked}"
    assert await call.result("edit_learned_notes", operation="replace", content="x") == {"version": 2}


def test_reading_is_pure_and_editing_is_recorded() -> None:
    found = {one.spec.name: one.spec for one in discover(selftest=False, installed=())}
    for edit, (read, _, _) in FAMILIES.items():
        assert (found[edit].effect, found[read].effect) == (Effect.RECORDED, Effect.PURE)
    assert found["write_notepad"].effect is Effect.RECORDED
    assert {spec.family for name, spec in found.items() if "notepad" in name} == {"notepad"}
