"""A family of built-in tools is found as a whole: a model that looks into one can use all of it."""

import pytest

from agent_contracts.tool_spec import ToolSpec
from browser_pool import pool_tools
from model_caller.offering.find_tools import Find, find
from tool_runner import core
from workspace_host import host_tools

TOOLS: tuple[ToolSpec, ...] = tuple(
    tool.spec
    for registry in (
        pool_tools.discover(),
        core.discover(selftest=False, installed=()),
        host_tools.discover(installed=()),
    )
    for tool in registry
)
FAMILIES = sorted({tool.family for tool in TOOLS})


@pytest.mark.parametrize("family", FAMILIES)
def test_each_tool_of_a_family_comes_with_its_definition(family: str) -> None:
    found = find(Find(None, family), TOOLS, {})
    assert "more" not in found
    assert {one["name"] for one in found["tools"]} == {tool.name for tool in TOOLS if tool.family == family}
