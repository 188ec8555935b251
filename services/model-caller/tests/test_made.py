"""What an agent made is read once, and is as of the event that is asked about all the same."""

from collections.abc import Sequence
from typing import Any

import pytest

from agent_contracts import event_sources
from agent_contracts.entities.definitions import SkillDefinition, ToolDefinition
from agent_contracts.entities.entity import EntityEvent, EntityKind
from agent_contracts.ids import AgentId
from agent_contracts.log.record.codec import RecordedEvent
from agent_domain.definitions import to_json
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.process.clock import SystemClock
from foldline_testing.agent_platform.memory_log import MemoryLog
from model_caller.offering.made_things import READ_ANEW_S, MadeByAgents

AGENT, OTHER = AgentId("a1"), AgentId("a2")


class Agent:
    """One agent's definitions, how many events of them were read, and a clock that stands still."""

    def __init__(self) -> None:
        self.log = MemoryLog()
        self.entities = Entities(self.log, SystemClock(), event_sources.RUNNER)
        self.read: list[int] = []
        self.seconds = 0.0
        self.made = MadeByAgents(self, lambda: self.seconds)

    async def changes(
        self, agent_id: AgentId, kinds: Sequence[EntityKind], *, after: int, up_to: int
    ) -> Sequence[RecordedEvent[EntityEvent]]:
        found = await self.entities.changes(agent_id, kinds, after=after, up_to=up_to)
        self.read.append(len(found))
        return found

    async def tool(self, name: str, description: str, *, enabled: bool = True, agent: AgentId = AGENT) -> int:
        value = to_json(ToolDefinition(description, {"type": "object"}, "its code", enabled))
        return await self._write(EntityKey(agent, EntityKind.TOOL, name), value)

    async def skill(self, name: str, *tags: str) -> int:
        value = to_json(SkillDefinition("d", "content", tags))
        return await self._write(EntityKey(AGENT, EntityKind.SKILL, name), value)

    async def delete(self, name: str) -> int:
        key, writer = EntityKey(AGENT, EntityKind.TOOL, name), EntityWriter.user(f"d{name}{self.seconds}")
        return (await self.entities.delete(key, writer)).sequence or 0

    async def _write(self, key: EntityKey, value: Any) -> int:
        writer = EntityWriter.user(f"e{await self.log.last_sequence()}")
        return (await self.entities.write(key, value, writer)).sequence or 0

    async def tools(self, sequence: int, agent: AgentId = AGENT) -> list[str]:
        told = (await self.made.as_of(agent, sequence))[EntityKind.TOOL]
        return [f"{one.known.name}: {one.known.description}{'' if one.enabled else ' (off)'}" for one in told]


@pytest.fixture
def agent() -> Agent:
    return Agent()


async def test_only_what_changed_is_read_again(agent: Agent) -> None:
    for name in ("b", "a", "c"):
        await agent.tool(name, "1")
    assert await agent.tools(3) == ["a: 1", "b: 1", "c: 1"]
    await agent.tool("b", "2")
    await agent.tool("b", "3")
    await agent.tool("d", "1", enabled=False)
    await agent.delete("a")
    assert await agent.tools(7) == ["b: 3", "c: 1", "d: 1 (off)"]
    assert await agent.tools(7) == ["b: 3", "c: 1", "d: 1 (off)"]
    await agent.tool("a", "again")
    assert await agent.tools(8) == ["a: again", "b: 3", "c: 1", "d: 1 (off)"]
    assert agent.read == [3, 3, 1]


@pytest.mark.parametrize("order", [(1, 2, 3, 4, 5), (5, 4, 3, 2, 1), (3, 5, 1, 4, 2), (4, 4, 2, 5, 2)])
async def test_it_is_as_of_the_event_in_whatever_order_it_is_asked(
    agent: Agent, order: tuple[int, ...]
) -> None:
    await agent.tool("a", "1")
    await agent.skill("s", "x")
    await agent.tool("a", "2")
    await agent.tool("x", "1", agent=OTHER)
    await agent.delete("a")
    were = {1: ["a: 1"], 2: ["a: 1"], 3: ["a: 2"], 4: ["a: 2"], 5: []}
    assert [await agent.tools(sequence) for sequence in order] == [were[sequence] for sequence in order]
    assert await agent.tools(5, OTHER) == ["x: 1"]
    assert [one.known.tags for one in (await agent.made.as_of(AGENT, 5))[EntityKind.SKILL]] == [("x",)]


async def test_a_call_that_is_older_than_what_was_read_reads_nothing_if_nothing_changed_since(
    agent: Agent,
) -> None:
    await agent.tool("a", "1")
    for _ in range(3):
        await agent.tool("x", "1", agent=OTHER)
    await agent.tools(4)
    assert [await agent.tools(sequence) for sequence in (1, 3, 2)] == [["a: 1"]] * 3
    assert agent.read == [1]


async def test_source_is_not_kept(agent: Agent) -> None:
    await agent.tool("a", "1")
    await agent.skill("s")
    assert "its code" not in repr(await agent.made.as_of(AGENT, 2))
    assert "content" not in repr(await agent.made.as_of(AGENT, 2))


async def test_what_was_purged_is_gone_after_a_while(agent: Agent) -> None:
    await agent.tool("a", "1")
    await agent.tool("b", "1")
    assert await agent.tools(2) == ["a: 1", "b: 1"]
    agent.log.lose(1)
    agent.seconds = READ_ANEW_S + 1
    assert await agent.tools(2) == ["b: 1"]
