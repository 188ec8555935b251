"""The pack's tools on the tool runner's real ports, over a log in memory."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import foldline_libragent
from agent_contracts.tool_spec import RunsOn
from agent_tools.registry import Pack, Registry, families_in, tools_in
from foldline_testing.product.libragent_world import LibraWorld, MeaningModels
from foldline_testing.tool_runner.world import all_tools


@pytest.fixture
async def libra(tmp_path: Path) -> AsyncIterator[LibraWorld]:
    """Core's tools and the pack's, but for those that run elsewhere."""
    tools = tuple(one for one in tools_in(foldline_libragent) if one.spec.runs_on is RunsOn.TOOLS)
    pack = Pack("libragent", "1", tools, families_in(foldline_libragent))
    world = LibraWorld(registry=Registry([*all_tools().packs, pack]), folder=tmp_path, models=MeaningModels())
    yield world
    await world.databases.close()
    await world.documents.close()
    world.compute.close()
