"""The pack's tools beside the core tools that they stand on, with every port of the tool runner."""

import pytest

from agent_contracts.tool_spec import RunsOn
from agent_tools.registry import Registry
from foldline_testing.agent_tools.called import Called
from foldline_testing.tool_runner.world import World
from tool_runner.core import discover


@pytest.fixture(scope="session")
def everything() -> Registry:
    """Core and packs as they are installed."""
    return discover(selftest=False)


@pytest.fixture
def world(everything: Registry) -> World:
    """An agent's log, and runners of all tools of the tool runner."""
    return World(registry=everything.on(RunsOn.TOOLS))


@pytest.fixture
def called(world: World) -> Called:
    """Calls of one agent, one after another."""
    return Called(world)
