"""What agents are told of `browser` in code is so."""

import re

from agent_domain.starters import STARTERS
from browser_pool.pool_tools import discover
from tool_runner.code.file_methods import tool_name


def test_the_methods_that_the_skill_names_are_tools() -> None:
    building = next(str(one.value["content"]) for one in STARTERS if one.name == "building")
    named = set(re.findall(r"\b(browser\.\w+)\(", building))
    assert named
    assert {tool_name(name) for name in named} <= {tool.spec.name for tool in discover()}


def test_every_tool_of_the_browser_is_a_method() -> None:
    for tool in discover(installed=()):  # packs' tools are none of code
        first, *rest = tool.spec.name.removeprefix("browser_").split("_")
        method = f"browser.{first}{''.join(word.capitalize() for word in rest)}"
        assert tool_name(method) == tool.spec.name
