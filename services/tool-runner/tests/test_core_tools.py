"""The tools of this distribution: its families, in the shape that models need, and packs beside them."""

import pkgutil
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from agent_contracts.tool_spec import CORE_PACK
from agent_tools.broken_tools import BrokenTools
from agent_tools.registry import Registry, installed_packs, tools_in
from agent_tools.toolbox import Toolbox
from foldline_testing.tool_runner.world import World, all_tools
from tool_runner import tools
from tool_runner.core import discover

FAMILY = "salutations"
GREET = '''
"""`greet`: a family that came in its own file, and in no other."""

from agent_tools.ports.agent import AgentState
from agent_tools.tool import RECORDED, Arguments, Result, tool


class Greet(Arguments):
    """Whom."""

    name: str


class Greeted(Result):
    """How often anybody was greeted."""

    times: int


@tool("salute", family="salutations", effect=RECORDED)
async def greet(args: Greet, state: AgentState) -> Greeted:
    """Greet somebody."""
    before = await state.get("greeted")
    times = before + 1 if isinstance(before, int) else 1
    await state.set("greeted", times)
    return Greeted(times=times)
'''
UNKNOWN = GREET.replace("from agent_tools.ports.agent import AgentState", "class AgentState: ...")


@pytest.fixture
def family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Puts the file of one more family beside the others."""
    all_tools()  # which other tests share: without this family
    monkeypatch.setattr(tools, "__path__", [*tools.__path__, str(tmp_path)])

    def make(source: str) -> None:
        (tmp_path / f"{FAMILY}.py").write_text(source)

    yield make
    for name in [name for name in sys.modules if name.startswith(f"{tools.__name__}.{FAMILY}")]:
        del sys.modules[name]


def test_the_core_pack_has_the_families_of_this_package() -> None:
    (core,) = discover(selftest=False, installed=()).packs
    assert core.name == CORE_PACK
    folders = {info.name for info in pkgutil.iter_modules(tools.__path__)}
    assert {one.spec.family for one in core.tools} == folders - {"selftest"}
    assert {"get_state", "ask_user", "db_sql", "fetch_url"} <= {one.spec.name for one in core.tools}


def test_the_selftest_tools_are_there_only_when_asked_for() -> None:
    names = {one.spec.name for one in discover(selftest=True, installed=())}
    assert {"selftest_external", "selftest_external_idempotent", "selftest_burn"} <= names
    assert discover(selftest=False, installed=()).get("selftest_external") is None


def test_every_tools_schema_is_an_object_of_json_schema_2020_12() -> None:
    for one in discover(selftest=True, installed=()):
        Draft202012Validator.check_schema(one.spec.parameters)
        assert one.spec.parameters["type"] == "object"
        assert "$ref" not in str(one.spec.parameters)
        for name, field in one.spec.parameters["properties"].items():
            assert field.get("description") or field.get("enum"), f"{one.spec.name}.{name} has no description"


def test_a_pack_may_not_bear_the_cores_name() -> None:
    package = "tool_runner.tools.state"  # it has no families, so no tools
    with pytest.raises(BrokenTools, match="two packs"):
        discover(selftest=False, installed=[EntryPoint(CORE_PACK, package, "foldline.tools")])


def test_a_pack_whose_port_this_runner_lacks_is_left_out_alone(family: Callable[[str], None]) -> None:
    family(UNKNOWN)
    package = "tool_runner.tools"
    registry = Registry(installed_packs([EntryPoint("greeting", package, "foldline.tools")]))
    (pack,) = Toolbox.of(registry, *World().providers()).registry.packs
    assert pack.about is not None
    assert "for the port AgentState" in pack.about.problem
    assert pack.tools == ()


def test_a_tool_that_a_module_only_imports_is_not_counted_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "borrowing_pack" / "weather"
    folder.mkdir(parents=True)
    (folder / "shared.py").write_text("from tool_runner.tools.state import get_state")
    for init in (folder, folder.parent):
        (init / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert list(tools_in(__import__("borrowing_pack"))) == []


async def test_a_new_family_is_a_file_and_nothing_else(family: Callable[[str], None]) -> None:
    family(GREET)
    registry = discover(selftest=False, installed=())
    (core,) = registry.packs
    (told,) = [spec for spec in core.catalogue().tools if spec.family == FAMILY]
    assert (told.name, told.description) == ("salute", "Greet somebody.")
    world = World(registry=registry)
    await world.run("salute", {"name": "Ada"}, call_id="c1")
    assert (await world.run("salute", {"name": "Bo"}, call_id="c2")).result == {"times": 2}
    assert (await world.run("get_state", {"key": "greeted"}, call_id="c3")).result == {"value": 2}


def test_a_runner_does_not_start_with_a_tool_whose_port_it_lacks(family: Callable[[str], None]) -> None:
    family(UNKNOWN)
    registry = discover(selftest=False, installed=())
    with pytest.raises(BrokenTools, match=r"'salute' \(tool_runner.tools.salutations\).* port Ag"):
        Toolbox.of(registry, *World().providers())
