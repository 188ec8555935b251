"""Discovery: no list to edit, and nothing ambiguous."""

import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from agent_contracts.tool_spec import RunsOn
from agent_tools.broken import BrokenTools
from agent_tools.registry import Registry, installed_packs

Make = Callable[[dict[str, str]], str]

TOOL = '''
from agent_contracts.tool_spec import Effect, RunsOn
from agent_tools.tool import Arguments, Result, tool

class None_(Arguments):
    """Nothing."""

class Done(Result):
    """Nothing."""

@tool("{name}", family="{family}", effect=Effect.PURE, runs_on=RunsOn.TOOLS)
async def function(args: None_) -> Done:
    """Do nothing."""
    return Done()
'''


@pytest.fixture
def package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Make]:
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


def test_a_catalogue_is_the_same_bytes_whatever_the_order_of_discovery(package: Make) -> None:
    files = {f"weather/m{n}.py": TOOL.format(name=f"t{9 - n}", family="weather") for n in range(3)}
    (pack,) = installed_packs([entry(package(files))])
    assert [spec.name for spec in pack.catalogue().tools] == ["t7", "t8", "t9"]


def test_a_folder_says_in_its_docstring_what_its_family_is_for(package: Make) -> None:
    files = {f"{family}/a.py": TOOL.format(name=family, family=family) for family in ("weather", "walks")}
    said = {"weather/__init__.py": '"""sun and rain\n\nMore of it."""'}
    (pack,) = installed_packs([entry(package(files | said))])
    assert pack.catalogue().families == {"weather": "sun and rain"}


def test_a_pack_of_another_distribution_joins_by_entry_point(package: Make) -> None:
    name = package({"weather/forecast.py": TOOL.format(name="forecast", family="weather")})
    registry = Registry(installed_packs([entry(name)]))
    assert [pack.name for pack in registry.packs] == ["extra"]
    found = registry.get("forecast")
    assert found is not None
    assert found.spec.family == "weather"


def test_each_runner_runs_those_of_a_packs_tools_that_run_on_it(package: Make) -> None:
    shell = TOOL.format(name="shell", family="work").replace("RunsOn.TOOLS", "RunsOn.WORKSPACE")
    files = {"work/shell.py": shell, "work/look.py": TOOL.format(name="look", family="work")}
    registry = Registry(installed_packs([entry(package(files))]))
    assert [tool.spec.name for tool in registry.on(RunsOn.WORKSPACE)] == ["shell"]
    assert [tool.spec.name for tool in registry.on(RunsOn.TOOLS)] == ["look"]
    assert [spec.name for spec in registry.packs[0].catalogue().tools] == ["look", "shell"]


def test_two_tools_of_one_name_are_refused_and_both_places_named(package: Make) -> None:
    files = {f"weather/{one}.py": TOOL.format(name="forecast", family="weather") for one in ("a", "b")}
    with pytest.raises(BrokenTools, match=r"weather\.b and \w+\.weather\.a both"):
        Registry(installed_packs([entry(package(files))]))


def test_two_packs_of_one_name_are_refused(package: Make) -> None:
    name = package({"weather/forecast.py": TOOL.format(name="forecast", family="weather")})
    with pytest.raises(BrokenTools, match="two packs"):
        Registry(installed_packs([entry(name), entry(name)]))


def test_a_file_with_two_tools_is_refused(package: Make) -> None:
    source = TOOL.format(name="forecast", family="weather")
    source += source.split("\n\n")[-1].replace("forecast", "history").replace("function", "other")
    name = package({"weather/both.py": source})
    with pytest.raises(BrokenTools, match="one tool, one file"):
        installed_packs([entry(name)])


def test_a_tool_that_names_another_family_than_its_folder_is_refused(package: Make) -> None:
    name = package({"weather/forecast.py": TOOL.format(name="forecast", family="news")})
    with pytest.raises(BrokenTools, match="'news'"):
        installed_packs([entry(name)])


def test_a_module_that_fails_to_import_is_named(package: Make) -> None:
    name = package({"weather/forecast.py": "import no_such_module_anywhere"})
    with pytest.raises(BrokenTools, match=r"weather\.forecast can't be imported"):
        installed_packs([entry(name)])


def test_an_unknown_name_gives_none() -> None:
    assert Registry([]).get("nothing") is None
