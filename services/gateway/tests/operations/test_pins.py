"""Tools that a person pins: which, how many, what there is no tool of, and back."""

import pytest

from agent_contracts import event_sources
from agent_contracts.api.versions import VersionTarget
from agent_contracts.entities.agent_texts import DEFAULT_AGENT
from agent_contracts.entities.definitions import ToolDefinition
from agent_contracts.entities.entity import EntityKind
from agent_contracts.errors import Conflict, Failure, Rejected
from agent_contracts.tool_spec import Catalogue, Effect, RunsOn, ToolSpec
from agent_domain.definitions import to_json
from agent_platform.entities.entities import Entities
from agent_platform.entities.entity import EntityKey, EntityWriter
from agent_platform.process.clock import SystemClock
from foldline_testing.gateway.in_memory import InMemory
from gateway.operations.idempotency import asked

BUILT_IN = ("pdf_merge", "db_sql", *(f"built_{number:02}" for number in range(30)))


@pytest.fixture
async def pinning(memory: InMemory) -> InMemory:
    specs = [
        ToolSpec(name, "Does it.", {"type": "object"}, "pdfs", Effect.PURE, RunsOn.TOOLS) for name in BUILT_IN
    ]
    await memory.catalog.put(Catalogue("core", "1", specs))
    await memory.operations.agents.make_default()
    key = EntityKey(DEFAULT_AGENT, EntityKind.TOOL, "invoice")
    made = to_json(ToolDefinition("Sums up.", {"type": "object"}, "return 1"))
    await Entities(memory.log, SystemClock(), event_sources.RUNNER).write(
        key, made, EntityWriter.user("e_made")
    )
    return memory


async def pin(memory: InMemory, *names: str, version: int | None = None, key: str | None = None) -> list[str]:
    request = asked(key, list(names))
    return (await memory.operations.pins.write(DEFAULT_AGENT, names, version, request)).names


async def test_built_in_and_own_tools_are_pinned_sorted_and_once(pinning: InMemory) -> None:
    assert (await pinning.operations.pins.read(DEFAULT_AGENT)).names == []
    assert await pin(pinning, "pdf_merge", "invoice", "pdf_merge") == ["invoice", "pdf_merge"]
    found = await pinning.operations.pins.read(DEFAULT_AGENT)
    assert (found.names, found.version, found.actor) == (["invoice", "pdf_merge"], 1, "user")
    await pin(pinning, "pdf_merge", "invoice")
    assert (await pinning.operations.pins.read(DEFAULT_AGENT)).version == 1, "the same makes no version"


async def test_what_no_tool_is_called_is_not_pinned(pinning: InMemory) -> None:
    with pytest.raises(Rejected, match="no tool named 'pdf_merg'; did you mean pdf_merge") as refused:
        await pin(pinning, "invoice", "pdf_merg")
    assert (refused.value.kind, refused.value.path) == ("not_found", "/names")
    for odd in ("", "a b", "\x00", "💥" * 40):
        with pytest.raises(Rejected, match="no tool named"):
            await pin(pinning, odd)
    assert (await pinning.operations.pins.read(DEFAULT_AGENT)).names == []


async def test_a_tool_that_is_gone_can_be_unpinned_beside_others(pinning: InMemory) -> None:
    await pin(pinning, "pdf_merge", "invoice")
    await Entities(pinning.log, SystemClock(), event_sources.RUNNER).delete(
        EntityKey(DEFAULT_AGENT, EntityKind.TOOL, "invoice"), EntityWriter.user("e_gone")
    )
    assert await pin(pinning, "pdf_merge", "invoice", "db_sql") == ["db_sql", "invoice", "pdf_merge"]
    assert await pin(pinning, "pdf_merge") == ["pdf_merge"]


async def test_twenty_are_the_most(pinning: InMemory) -> None:
    assert len(await pin(pinning, *BUILT_IN[:20])) == 20
    with pytest.raises(Rejected, match="At most 20"):
        await pin(pinning, *BUILT_IN[:21])


async def test_of_two_who_pin_at_once_the_second_is_told(pinning: InMemory) -> None:
    await pin(pinning, "pdf_merge", version=0)
    with pytest.raises(Failure) as refused:
        await pin(pinning, "invoice", version=0)
    assert isinstance(refused.value, Rejected | Conflict)
    assert refused.value.kind == "conflict"
    assert (await pinning.operations.pins.read(DEFAULT_AGENT)).names == ["pdf_merge"]


async def test_a_repeat_does_it_once_and_an_earlier_version_comes_back(pinning: InMemory) -> None:
    pins = pinning.operations.pins
    await pin(pinning, "pdf_merge", key="k1")
    await pin(pinning, "pdf_merge", "invoice")
    assert await pin(pinning, "pdf_merge", key="k1") == ["pdf_merge"], "what the first request did"
    before = await pins.read(DEFAULT_AGENT)
    assert (before.names, before.version) == (["invoice", "pdf_merge"], 2)
    back = await pins.revert(DEFAULT_AGENT, VersionTarget(version=1), asked())
    assert (back.names, back.version) == (["pdf_merge"], 3)
    assert (await pins.read(DEFAULT_AGENT, before.sequence)).names == ["invoice", "pdf_merge"]
    assert [one.version for one in (await pins.versions(DEFAULT_AGENT, None, 10)).items] == [3, 2, 1]
