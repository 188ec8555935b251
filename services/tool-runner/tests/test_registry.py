"""Discovery: no list to edit, and nothing ambiguous."""

import pkgutil
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from tool_runner import tools
from tool_runner.registry import BrokenTools, Registry, discover, tools_in

TOOL = '''
from agent_contracts.tool_spec import Effect
from tool_runner.context import ToolContext
from tool_runner.tool import Arguments, Result, tool

class None_(Arguments):
    """Nothing."""

class Done(Result):
    """Nothing."""

@tool("{name}", family="{family}", effect=Effect.PURE)
async def function(args: None_, ctx: ToolContext) -> Done:
    """Do nothing."""
    return Done()
'''


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest):
    """A function that makes a package of tools from {"family/module.py": source} and gives its name."""
    name = f"pack_{abs(hash(request.node.name))}"
    monkeypatch.syspath_prepend(tmp_path)

    def make(files: dict[str, str]) -> str:
        for path, source in {"__init__.py": "", **files}.items():
            file = tmp_path / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            (file.parent / "__init__.py").touch()
            file.write_text(source)
        return name

    yield make
    for module in [module for module in sys.modules if module.split(".")[0] == name]:
        del sys.modules[module]


def entry(package_name: str, pack: str = "extra") -> EntryPoint:
    return EntryPoint(pack, package_name, "foldline.tools")


def test_the_core_pack_has_the_families_of_this_package() -> None:
    (core,) = discover(selftest=False, installed=()).packs
    assert core.name == "core"
    folders = {info.name for info in pkgutil.iter_modules(tools.__path__)}
    assert {one.spec.family for one in core.tools} == folders - {"selftest"}
    assert {"get_state", "ask_user", "db_sql", "fetch_url"} <= {one.spec.name for one in core.tools}


def test_the_selftest_tools_are_there_only_when_asked_for() -> None:
    names = {one.spec.name for one in discover(selftest=True, installed=())}
    assert {"selftest_external", "selftest_external_idempotent", "selftest_burn"} <= names
    assert discover(selftest=False, installed=()).get("selftest_external") is None


def test_a_catalogue_is_the_same_bytes_whatever_the_order_of_discovery() -> None:
    (core,) = discover(selftest=False, installed=()).packs
    names = [spec.name for spec in core.catalogue().tools]
    assert names == sorted(names)


def test_a_pack_of_another_distribution_joins_by_entry_point(package) -> None:
    name = package({"weather/forecast.py": TOOL.format(name="forecast", family="weather")})
    registry = discover(selftest=False, installed=[entry(name)])
    assert [pack.name for pack in registry.packs] == ["core", "extra"]
    found = registry.get("forecast")
    assert found is not None
    assert found.spec.family == "weather"


def test_two_tools_of_one_name_are_refused_and_both_places_named(package) -> None:
    name = package({"state/mine.py": TOOL.format(name="get_state", family="state")})
    with pytest.raises(BrokenTools, match=r"state\.mine and tool_runner\.tools\.state\.get_state"):
        discover(selftest=False, installed=[entry(name)])


def test_two_packs_of_one_name_are_refused(package) -> None:
    name = package({"weather/forecast.py": TOOL.format(name="forecast", family="weather")})
    with pytest.raises(BrokenTools, match="two packs"):
        discover(selftest=False, installed=[entry(name, pack="core")])


def test_a_file_with_two_tools_is_refused(package) -> None:
    source = TOOL.format(name="forecast", family="weather")
    source += source.split("\n\n")[-1].replace("forecast", "history").replace("function", "other")
    name = package({"weather/both.py": source})
    with pytest.raises(BrokenTools, match="one tool, one file"):
        discover(selftest=False, installed=[entry(name)])


def test_a_tool_that_names_another_family_than_its_folder_is_refused(package) -> None:
    name = package({"weather/forecast.py": TOOL.format(name="forecast", family="news")})
    with pytest.raises(BrokenTools, match="'news'"):
        discover(selftest=False, installed=[entry(name)])


def test_a_module_that_fails_to_import_is_named(package) -> None:
    name = package({"weather/forecast.py": "import no_such_module_anywhere"})
    with pytest.raises(BrokenTools, match=r"weather\.forecast can't be imported"):
        discover(selftest=False, installed=[entry(name)])


def test_a_tool_that_a_module_only_imports_is_not_counted_twice(package) -> None:
    name = package({"weather/shared.py": "from tool_runner.tools.state.get_state import get_state"})
    module = __import__(name)
    assert list(tools_in(module)) == []


def test_an_unknown_name_gives_none() -> None:
    assert Registry([]).get("nothing") is None
