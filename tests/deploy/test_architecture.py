"""How the modules of all packages import each other."""

import ast
import graphlib
import tomllib
from functools import cache
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[2]
DOUBLES = ROOT / "libs/foldline_testing/src/foldline_testing"


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
    found = (path.name for path in ROOT.glob("*/*/src/*") if (path / "__init__.py").is_file())
    assert set(found) == set(packages())
    assert len(imports()) > 400


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert circle_in(imports()) == []


@pytest.mark.parametrize("back", ["agent_contracts.log.record.codec", "agent_platform.log.port"])
def test_a_circle_would_be_found(back: str) -> None:
    to = "agent_platform.log.events"
    assert back in imports()[to]
    circle = circle_in({**imports(), back: imports()[back] | {to}})
    assert {back, to} <= set(circle)


@pytest.mark.parametrize(("package", "most"), [("agent_platform", 9), ("gateway", 13), ("tool_runner", 15)])
def test_the_root_of_a_package_can_be_read_at_a_glance(package: str, most: int) -> None:
    rooms = {module.split(".")[1] for module in imports() if module.startswith(f"{package}.")}
    assert 3 < len(rooms) <= most, sorted(rooms)


@pytest.mark.parametrize(
    "member", sorted(ROOT.glob("services/*/src/*/service.py")), ids=lambda path: path.parent.name
)
def test_what_every_service_has_is_called_the_same_in_each(member: Path) -> None:
    usual = ("__main__.py", "app.py", "handlers.py", "settings.py")
    assert [name for name in usual if not (member.parent / name).exists()] == []
    assert (DOUBLES / member.parent.name / "__init__.py").is_file()


def of(member: Path) -> str:
    """The package of a member's folder."""
    return member.name.replace("-", "_")


@pytest.mark.parametrize(
    "member", sorted(ROOT.glob("services/*/pyproject.toml")), ids=lambda path: path.parent.name
)
def test_the_tests_of_a_service_import_no_other_service_and_no_roof(member: Path) -> None:
    others = {
        of(path.parent) for kind in ("services", "apps") for path in ROOT.glob(f"{kind}/*/pyproject.toml")
    }
    others -= {of(member.parent)}
    assert len(others) >= 4
    for file in member.parent.glob("tests/**/*.py"):
        assert not owners_imported_by(file.read_text()) & {*others, "product"}, file


def owners_imported_by(program: str) -> set[str]:
    """The members from which a program imports, and those whose test doubles it imports."""
    modules: list[str] = []
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules += [f"{node.module}.{alias.name}" for alias in node.names]
    return {module.removeprefix("foldline_testing.").partition(".")[0] for module in modules}


def test_imports_are_seen_wherever_they_stand() -> None:
    program = "import a.b\ndef f():\n    from c.d import e\n    from foldline_testing import g\n"
    assert owners_imported_by(program) == {"a", "c", "g"}
