"""What people can do with agents and what they have, whichever door they come through."""

import asyncio
from collections.abc import Awaitable
from typing import Any

import pytest

from agent_contracts.api.secrets import WriteSecret
from agent_contracts.api.state import Operation
from agent_contracts.api.versions import VersionTarget
from agent_contracts.entities.agent_texts import DEFAULT_AGENT, LEARNED_NOTES, SYSTEM_PROMPT
from agent_contracts.entities.entity import EntityKind
from agent_contracts.entities.state_keys import LARGEST_VALUE
from agent_contracts.errors import Conflict, Failure, Rejected
from agent_contracts.ids import AgentId, SessionId
from agent_contracts.kinds.library import LIBRARY
from agent_contracts.kinds.tool import TOOL
from agent_domain.text_edits import TextEdit
from agent_platform.entities.entity import EntityKey
from foldline_testing.gateway.in_memory import InMemory
from gateway.operations.agents.agents import NewAgent
from gateway.operations.agents.definitions import DefinitionKey
from gateway.operations.agents.texts import OneText
from gateway.operations.agents.things import ThingKey
from gateway.operations.idempotency import asked
from gateway.operations.sessions.creation import NewSession

TOOL_NOW = {"description": "d", "parameter_schema": {"type": "object"}, "code": "return 1"}
CANARY = "the-value-of-a-secret"


async def refused(doing: Awaitable[object]) -> str:
    with pytest.raises(Failure) as caught:
        await doing
    assert not isinstance(caught.value, Conflict), "a conflict of writes is not for those who ask"
    return caught.value.kind


async def test_an_agent_is_made_once_per_key_and_its_id_is_taken_then(memory: InMemory) -> None:
    agents, new = memory.operations.agents, NewAgent("A", AgentId("a1"), starters=False)
    made = await asyncio.gather(*(agents.make(new, asked("k", "A")) for _ in range(3)))
    assert made[0] == made[1] == made[2]
    assert await refused(agents.make(new, asked())) == "conflict"
    assert [one.id for one in (await agents.list()).items] == ["a1"]


async def test_a_deleted_agent_takes_its_sessions_with_it(memory: InMemory) -> None:
    operations, agent_id = memory.operations, AgentId("a1")
    await operations.agents.make(NewAgent("A", agent_id, starters=False), asked())
    session = await operations.creation.create(NewSession(agent_id=agent_id), asked())
    done = await operations.deletion.delete(agent_id, asked())
    assert (done.deleted, done.archived) == (True, 1)
    assert await refused(operations.agents.find(agent_id)) == "not_found"
    assert await refused(operations.steering.say(SessionId(session.id), "hi", asked())) == "session_closed"
    assert (await operations.deletion.delete(agent_id, asked())).archived == 0


async def test_the_agent_that_is_always_there_can_not_be_deleted(memory: InMemory) -> None:
    assert await refused(memory.operations.deletion.delete(DEFAULT_AGENT, asked())) == "conflict"


@pytest.mark.parametrize("name", ["", " ", "x" * 101])
async def test_an_agent_has_a_name(memory: InMemory, name: str) -> None:
    assert await refused(memory.operations.agents.make(NewAgent(name), asked())) == "invalid_request"
    assert await refused(memory.operations.agents.rename(DEFAULT_AGENT, name, asked())) == "invalid_request"


async def test_a_text_is_edited_read_as_it_was_and_taken_back(memory: InMemory) -> None:
    texts = memory.operations.texts
    first = await texts.write(OneText(DEFAULT_AGENT, LEARNED_NOTES), "one two", None, asked())
    edit = TextEdit(Operation.FIND_REPLACE, find="two", replace="three")
    second = await texts.edit(OneText(DEFAULT_AGENT, LEARNED_NOTES), edit, first.version, asked())
    assert (second.text, second.version, second.actor) == ("one three", 2, "user")
    assert (await texts.read(OneText(DEFAULT_AGENT, LEARNED_NOTES), first.sequence)).text == "one two"
    back = await texts.revert(OneText(DEFAULT_AGENT, LEARNED_NOTES), VersionTarget(version=1), asked())
    assert (back.text, back.version) == ("one two", 3)
    shown = await texts.versions(OneText(DEFAULT_AGENT, LEARNED_NOTES), None, 2)
    assert [one.version for one in shown.items] == [3, 2]
    assert shown.next_cursor == str(second.sequence)


async def test_a_text_that_somebody_changed_meanwhile_is_not_overwritten(memory: InMemory) -> None:
    texts = memory.operations.texts
    await texts.write(OneText(DEFAULT_AGENT, SYSTEM_PROMPT), "mine", 0, asked())
    again = texts.write(OneText(DEFAULT_AGENT, SYSTEM_PROMPT), "yours", 0, asked())
    assert await refused(again) == "conflict"
    assert (await texts.read(OneText(DEFAULT_AGENT, SYSTEM_PROMPT))).text == "mine"


async def test_of_writers_at_the_same_moment_all_edits_count(memory: InMemory) -> None:
    texts = memory.operations.texts
    edits = [TextEdit(Operation.APPEND, content=f"line {n}\n") for n in range(5)]
    await asyncio.gather(
        *(texts.edit(OneText(DEFAULT_AGENT, LEARNED_NOTES), one, None, asked()) for one in edits)
    )
    text = (await texts.read(OneText(DEFAULT_AGENT, LEARNED_NOTES))).text
    assert sorted(line for line in text.split("\n") if line) == [f"line {n}" for n in range(5)]


async def test_a_value_of_the_state_is_stored_deleted_and_taken_back(memory: InMemory) -> None:
    state, place = memory.operations.state, ThingKey(DEFAULT_AGENT, "a/b c")
    assert (await state.put(place, {"n": 1}, 0, asked())).version == 1
    assert (await state.put(place, {"n": 1}, None, asked())).version == 1, "the same value is no version"
    assert (await state.delete(place, asked())).deleted
    assert await refused(state.read(place)) == "not_found"
    assert (await state.list(DEFAULT_AGENT)).items == []
    assert (await state.revert(place, VersionTarget(version=1), asked())).value == {"n": 1}
    assert await refused(state.put(place, 2, 7, asked())) == "conflict"


@pytest.mark.parametrize(
    ("key", "value", "kind"),
    [("", 1, "invalid_request"), ("\x00", 1, "invalid_request"), ("k", "x" * LARGEST_VALUE, "too_large")],
)
async def test_what_the_state_can_not_hold_is_refused(
    memory: InMemory, key: str, value: Any, kind: str
) -> None:
    put = memory.operations.state.put(ThingKey(DEFAULT_AGENT, key), value, None, asked())
    assert await refused(put) == kind
    assert await memory.log.last_sequence() == 0


async def test_a_definition_is_what_a_runner_found_good_and_stays_switched_off(memory: InMemory) -> None:
    definitions, made = memory.operations.definitions, DefinitionKey(DEFAULT_AGENT, TOOL, "t")
    await definitions.put(made, TOOL_NOW, 0, asked())
    await definitions.switch(made, False, asked())
    changed = await definitions.put(made, {**TOOL_NOW, "description": "new"}, None, asked())
    assert (changed.definition["description"], changed.definition["enabled"]) == ("new", False)
    assert [one.name for one in (await definitions.list(DEFAULT_AGENT, TOOL)).items] == ["t"]


async def test_what_a_runner_refuses_is_not_stored_and_says_where(memory: InMemory) -> None:
    memory.runner.refusal = Rejected("no", kind="invalid_request", details={"line": 3})
    with pytest.raises(Rejected) as caught:
        await memory.operations.definitions.put(
            DefinitionKey(DEFAULT_AGENT, TOOL, "t"), TOOL_NOW, None, asked()
        )
    assert caught.value.details == {"line": 3}
    assert await memory.log.last_sequence() == 0


async def test_a_library_has_no_switch(memory: InMemory) -> None:
    switch = memory.operations.definitions.switch(DefinitionKey(DEFAULT_AGENT, LIBRARY, "l"), False, asked())
    assert await refused(switch) == "invalid_request"


async def test_a_function_is_called_once_per_key(memory: InMemory) -> None:
    call = memory.operations.functions.call
    request = asked("k", {"n": 1})
    answers = [await call(DEFAULT_AGENT, "f", {"n": 1}, request) for _ in range(2)]
    assert [one.result for one in answers] == [{"n": 1}] * 2
    assert len(memory.runner.calls) == 1
    assert await refused(call(DEFAULT_AGENT, "f", {"n": 2}, asked("k", {"n": 2}))) == "idempotency_mismatch"


async def test_a_secret_goes_in_and_is_found_in_no_answer_and_no_event(memory: InMemory) -> None:
    secrets, new = memory.operations.secrets, WriteSecret(value=CANARY, hosts=["API.example.org"])
    shown = await secrets.put(DEFAULT_AGENT, "TOKEN", new)
    assert (shown.name, shown.hosts) == ("TOKEN", ["api.example.org"])
    assert CANARY not in repr(new) + repr(shown) + repr(await secrets.list(DEFAULT_AGENT))
    assert CANARY.encode() not in await memory.everything()
    assert memory.secrets.values == {(DEFAULT_AGENT, "TOKEN"): CANARY}
    assert (await secrets.delete(DEFAULT_AGENT, "TOKEN")).deleted
    assert memory.secrets.values == {}


@pytest.mark.parametrize(
    ("name", "value", "hosts"),
    [
        ("lower", CANARY, ("a.org",)),
        ("TOKEN", "short", ("a.org",)),
        ("TOKEN", CANARY + "\n" + CANARY, ("a.org",)),
        ("TOKEN", CANARY, ()),
        ("TOKEN", CANARY, ("a.org:443",)),
        ("TOKEN", CANARY, ("a.org/path",)),
        ("TOKEN", CANARY, ("*",)),
    ],
)
async def test_what_can_be_no_secret_is_refused_and_not_repeated(
    memory: InMemory, name: str, value: str, hosts: tuple[str, ...]
) -> None:
    with pytest.raises(Rejected) as caught:
        await memory.operations.secrets.put(DEFAULT_AGENT, name, WriteSecret(value=value, hosts=[*hosts]))
    assert value not in caught.value.message
    assert memory.secrets.values == {}
    assert await memory.log.last_sequence() == 0


async def test_nothing_is_done_for_an_agent_that_is_not_there(memory: InMemory) -> None:
    nobody, operations = AgentId("nobody"), memory.operations
    made = DefinitionKey(nobody, TOOL, "t")
    for doing in (
        operations.texts.write(OneText(nobody, SYSTEM_PROMPT), "x", None, asked()),
        operations.state.put(ThingKey(nobody, "k"), 1, None, asked()),
        operations.definitions.put(made, TOOL_NOW, None, asked()),
        operations.functions.call(nobody, "f", {}, asked()),
        operations.secrets.put(nobody, "TOKEN", WriteSecret(value=CANARY, hosts=["a.org"])),
        operations.databases.tables(nobody),
        operations.deletion.delete(nobody, asked()),
    ):
        assert await refused(doing) == "not_found"
    assert await memory.log.last_sequence() == 0
    assert (memory.runner.calls, memory.secrets.values) == ({}, {})


async def test_a_key_says_which_write_is_meant(memory: InMemory) -> None:
    texts, request = memory.operations.texts, asked("k", "x")
    await texts.write(OneText(DEFAULT_AGENT, SYSTEM_PROMPT), "x", None, request)
    await texts.write(OneText(DEFAULT_AGENT, SYSTEM_PROMPT), "y", None, asked())
    again = await texts.write(OneText(DEFAULT_AGENT, SYSTEM_PROMPT), "x", None, request)
    assert (again.text, again.version) == ("x", 1), "as it was answered first"
    key = EntityKey(DEFAULT_AGENT, EntityKind.PROMPT, SYSTEM_PROMPT.name)
    assert await memory.log.last_sequence() == 2
    assert (await memory.log.last(key.subject)) is not None
