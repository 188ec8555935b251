"""How the modules of all packages import each other."""

import graphlib
import tomllib
from functools import cache
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[2]


@cache
def packages() -> tuple[str, ...]:
    tables = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    return tuple(tables["importlinter"]["root_packages"])


@cache
def imports() -> dict[str, set[str]]:
    graph = grimp.build_graph(*packages(), cache_dir=None)
    return {module: set(graph.find_modules_directly_imported_by(module)) for module in graph.modules}


def circle_in(graph: dict[str, set[str]]) -> list[str]:
    """Modules that import each other in a circle, if any do."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


def test_every_package_of_this_repository_is_looked_at() -> None:
    members = {path.name for path in ROOT.glob("*/*/src/*") if (path / "__init__.py").is_file()}
    assert members == set(packages())
    assert len(imports()) > 400


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert circle_in(imports()) == []


@pytest.mark.parametrize("back", ["agent_contracts.codec", "agent_platform.log.port"])
def test_a_circle_would_be_found(back: str) -> None:
    to = "agent_platform.log.decoding"
    assert back in imports()[to]
    circle = circle_in({**imports(), back: imports()[back] | {to}})
    assert {back, to} <= set(circle)
