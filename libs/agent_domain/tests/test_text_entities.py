"""Texts in the log: versions, and writers at the same time."""

import asyncio
from collections.abc import Callable

import pytest

from agent_contracts import event_sources
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Rejected
from agent_contracts.ids import AgentId
from agent_domain.text_entities import TextVersion, change_text, read_text
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_log import MemoryLog

KEY = EntityKey(AgentId("a1"), EntityKind.NOTES, "n")


@pytest.fixture
def entities() -> Entities:
    return Entities(MemoryLog(), SystemClock(), event_sources.RUNNER)


async def write(entities: Entities, text: str, id: str) -> int | None:
    changed = await change_text(entities, KEY, "first", EntityWriter.user(id), lambda before: text)
    return changed.sequence


async def test_a_text_that_nobody_wrote_says_what_it_says_at_first(entities: Entities) -> None:
    assert await read_text(entities, KEY, "first") == TextVersion("first", 0, None)


async def test_writing_what_it_says_already_makes_no_version(entities: Entities) -> None:
    assert await write(entities, "first", "e1") is None
    assert await write(entities, "second", "e2") == 1
    assert await write(entities, "second", "e3") is None
    found = await read_text(entities, KEY, "first")
    assert (found.text, found.version) == ("second", 1)


async def test_a_text_is_read_as_of_any_event(entities: Entities) -> None:
    for number, text in enumerate(("one", "two")):
        await write(entities, text, f"e{number}")
    assert [(await read_text(entities, KEY, "first", up_to=at)).text for at in (1, 2)] == ["one", "two"]


async def test_an_older_shape_of_the_value_is_read_and_edited(entities: Entities) -> None:
    await entities.write(KEY, {"text": "old"}, EntityWriter.user("e1"))
    assert (await read_text(entities, KEY, "first")).text == "old"
    await change_text(entities, KEY, "first", EntityWriter.user("e2"), lambda before: before.text + "er")
    assert (await read_text(entities, KEY, "first")).text == "older"


async def test_what_the_change_refuses_leaves_everything_as_it_was(entities: Entities) -> None:
    def refuse(before: TextVersion) -> str:
        raise Rejected("no")

    with pytest.raises(Rejected, match="no"):
        await change_text(entities, KEY, "first", EntityWriter.user("e1"), refuse)
    assert (await read_text(entities, KEY, "first")).version == 0


async def test_edits_at_the_same_time_all_count(entities: Entities) -> None:
    def append(n: int) -> Callable[[TextVersion], str]:
        return lambda before: f"{before.text}{n};"

    await asyncio.gather(
        *(change_text(entities, KEY, "", EntityWriter.user(f"e{n}"), append(n)) for n in range(5))
    )
    found = await read_text(entities, KEY, "")
    assert (sorted(found.text.split(";")), found.version) == (["", *"01234"], 5)
