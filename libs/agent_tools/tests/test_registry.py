"""Discovery: no list to edit, and nothing ambiguous."""

import re
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from agent_contracts.tool_spec import RunsOn
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


def test_a_file_is_a_family_of_any_number_of_tools(package: Make) -> None:
    forecast = TOOL.format(name="forecast", family="weather")
    history = TOOL.split("\n\n")[-1].format(name="history", family="weather").replace("function", "other")
    files = {"weather.py": f'"""sun and rain"""\n{forecast}{history}', "shared.py": '"""no tools"""'}
    (pack,) = installed_packs([entry(package(files))])
    assert [spec.name for spec in pack.catalogue().tools] == ["forecast", "history"]
    assert pack.catalogue().families == {"weather": "sun and rain"}


def test_a_pack_of_another_distribution_joins_by_entry_point_under_ids_of_its_own(package: Make) -> None:
    name = package({"weather/forecast.py": TOOL.format(name="forecast", family="weather")})
    registry = Registry(installed_packs([entry(name)]))
    assert [pack.name for pack in registry.packs] == ["extra"]
    found = registry.get("extra.forecast")
    assert found is not None
    assert (found.spec.name, found.spec.family) == ("forecast", "weather")
    assert registry.get("forecast") is None, "the name alone is a core tool's"


def test_each_runner_runs_those_of_a_packs_tools_that_run_on_it(package: Make) -> None:
    shell = TOOL.format(name="shell", family="work").replace("RunsOn.TOOLS", "RunsOn.WORKSPACE")
    files = {"work/shell.py": shell, "work/look.py": TOOL.format(name="look", family="work")}
    registry = Registry(installed_packs([entry(package(files))]))
    assert [tool.spec.name for tool in registry.on(RunsOn.WORKSPACE)] == ["shell"]
    assert [tool.spec.name for tool in registry.on(RunsOn.TOOLS)] == ["look"]
    assert [spec.name for spec in registry.packs[0].catalogue().tools] == ["look", "shell"]


def test_names_of_tools_may_be_camel_case(package: Make) -> None:
    files = {"pages/go.py": TOOL.format(name="navigateToUrl", family="pages")}
    registry = Registry(installed_packs([entry(package(files))]))
    assert registry.get("extra.navigateToUrl") is not None


SETTINGS = """
from agent_contracts.packs import PackSwitch
from agent_tools.pack import PackDeclaration
from agent_tools.tool import Arguments

class Chosen(Arguments):
    {field}

PACK = PackDeclaration("Bad", "", settings=Chosen, switches=(PackSwitch("{switch}"),))
"""
BROKEN = {
    "two tools of one name": (
        {f"weather/{one}.py": TOOL.format(name="forecast", family="weather") for one in ("a", "b")},
        r"weather\.b and [\w.]+\.weather\.a both",
    ),
    "a tool that names another family than its file": (
        {"weather/forecast.py": TOOL.format(name="forecast", family="news")},
        "'news'",
    ),
    "a module that fails to import": (
        {"weather/forecast.py": "import no_such_module_anywhere"},
        r"weather\.forecast can't be imported",
    ),
    "a declaration that is none": ({"pack.py": "PACK = 1"}, "is no PackDeclaration"),
    "a setting without a default": (
        {"pack.py": SETTINGS.format(field="city: str", switch="city")},
        "the setting 'city' of bad has no default",
    ),
    "a setting that no form can ask for": (
        {"pack.py": SETTINGS.format(field="city: dict[str, str] = {}", switch="city")},
        "the settings of bad can't be asked for",
    ),
    "a switch that is not a setting": (
        {"pack.py": SETTINGS.format(field="city: str = ''", switch="town")},
        "a switch 'town', which is not one of its settings",
    ),
    "a file that doesn't fit what it brings": (
        {"brings/skill/odd.md": "text", "brings/skill/odd.json": '{"description": 1}'},
        "can't be read",
    ),
}


@pytest.mark.parametrize("files", BROKEN.values(), ids=BROKEN)
def test_what_is_wrong_with_a_pack_is_told_with_it_and_others_work(
    package: Make, files: tuple[dict[str, str], str]
) -> None:
    made, why = files
    good = package({"sun/shine.py": TOOL.format(name="shine", family="sun")})
    package({f"bad/{path}": source for path, source in made.items()})
    bad = f"{good}.bad"
    moved = [entry(bad, "bad"), entry(good, "good")]
    found = {pack.name: pack for pack in installed_packs(moved)}
    assert found["good"].about is not None
    assert not found["good"].about.problem
    about = found["bad"].catalogue().about
    assert about is not None
    assert re.search(why, about.problem)
    assert found["bad"].tools == ()
    assert {tool.spec.tool for tool in Registry(found.values())} == {"good.shine"}


def test_two_packs_of_one_name_have_no_tools_and_say_so(package: Make) -> None:
    name = package({"weather/forecast.py": TOOL.format(name="forecast", family="weather")})
    (pack,) = installed_packs([entry(name), entry(name)])
    assert pack.tools == ()
    assert pack.about is not None
    assert "two packs have the name 'extra'" in pack.about.problem


@pytest.mark.parametrize("name", ["core", "engine", "own", "Weather", "a.b", "x" * 40])
def test_a_pack_may_not_have_a_name_that_means_something_else(package: Make, name: str) -> None:
    made = package({"weather/forecast.py": TOOL.format(name="forecast", family="weather")})
    (pack,) = installed_packs([entry(made, name)])
    assert pack.about is not None
    assert "no pack can be called" in pack.about.problem


def test_an_unknown_name_gives_none() -> None:
    assert Registry([]).get("nothing") is None


def test_a_family_that_python_does_not_take_for_a_package_is_named(package: Make, tmp_path: Path) -> None:
    name = package({"here/one.py": TOOL.format(name="one", family="here")})
    lost = tmp_path / name / "greetings"
    lost.mkdir()
    (lost / "greet.py").write_text(TOOL.format(name="greet", family="greetings"))
    [pack] = installed_packs([EntryPoint("greetings", name, "foldline.tools")])
    assert pack.tools == ()
    assert "greetings has no __init__.py, so its tools are not found: add one" in str(pack)
