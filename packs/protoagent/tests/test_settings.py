"""protoAgent's own settings switch off its tools, as in the seed: by name, by pattern, by plugin."""

import pytest

from agent_contracts.json_value import Json
from agent_contracts.tool_spec import Catalogue
from agent_domain.packs.switched_off import switched_off, unknown_tools
from agent_tools.registry import installed_packs


@pytest.fixture(scope="module")
def pack() -> Catalogue:
    [found] = [one for one in installed_packs() if one.name == "protoagent"]
    return found.catalogue()


def names_off(pack: Catalogue, **values: Json) -> set[str]:
    settings = {name.replace("__", "."): value for name, value in values.items()}
    return {tool.removeprefix("protoagent.") for tool in switched_off(pack, settings)}


def test_tools_that_are_named_as_disabled_are_off_and_no_others(pack: Catalogue) -> None:
    assert names_off(pack) == set()
    assert names_off(pack, tools__disabled=["calculator", "notes_read"]) == {"calculator", "notes_read"}
    assert names_off(pack, tools__disabled=["notes_*"]) > {"notes_read"}
    assert unknown_tools(pack, {"tools.disabled": ["calculator", "no_such"]}) == [
        ("tools.disabled", "no_such")
    ]


def test_a_plugin_or_a_middleware_takes_its_tools_with_it(pack: Catalogue) -> None:
    assert names_off(pack, plugins__disabled=["coding_agent"]) == {"code_with"}
    assert all(name.startswith("github_") for name in names_off(pack, plugins__disabled=["github"]))
    assert names_off(pack, middleware__scheduler=False) >= {"schedule_task"}
    assert "memory_recall" in names_off(pack, middleware__knowledge=False)
