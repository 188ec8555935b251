"""A pack of another distribution: found by its entry point, standing on the kit alone, run in memory."""

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_contracts.errors import ErrorKind
from agent_contracts.tool_spec import Effect
from agent_tools.registry import PACKS, Registry, installed_packs
from foldline_testing.agent_tools.world import AGENT, PackWorld

HERE = Path(__file__).parent / "sample_pack"
PROJECT = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
ALLOWED = {"agent_tools", "pydantic", "sample_pack", *sys.stdlib_module_names}


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The sample's source and, as an installer writes them, its metadata on `sys.path`."""
    info = tmp_path / f"sample_pack-{PROJECT['version']}.dist-info"
    info.mkdir()
    name, version = PROJECT["name"], PROJECT["version"]
    (info / "METADATA").write_text(f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n")
    points = PROJECT["entry-points"][PACKS]
    lines = [f"[{PACKS}]", *(f"{pack} = {package}" for pack, package in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(str(HERE / "src"))
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    for name in [name for name in sys.modules if name.split(".")[0] == "sample_pack"]:
        del sys.modules[name]


def test_its_code_reaches_the_kit_pydantic_and_the_standard_library_only() -> None:
    files = list((HERE / "src").rglob("*.py"))
    imported = {name for file in files for name in _imported_by(file)}
    assert "agent_tools" in imported
    assert imported <= ALLOWED
    assert PROJECT["dependencies"] == ["agent-tools"]


@pytest.mark.usefixtures("installed")
async def test_it_is_found_by_its_entry_point_catalogued_and_run() -> None:
    (pack,) = [pack for pack in installed_packs() if pack.name == "sample"]
    catalogue = pack.catalogue()
    assert (catalogue.pack, catalogue.version) == ("sample", "1.2.3")
    assert [(spec.name, spec.family, spec.effect) for spec in catalogue.tools] == [
        ("add_motto", "mottos", Effect.RECORDED)
    ]
    world = PackWorld(Registry([pack]))
    await world.run("sample.add_motto", {"motto": "Know thyself"}, call_id="c1", effect=Effect.RECORDED)
    event = await world.run(
        "sample.add_motto", {"motto": "Nothing in excess"}, call_id="c2", effect=Effect.RECORDED
    )
    assert event.result == {"mottos": ["Know thyself", "Nothing in excess"], "added_by": "c2"}
    assert await world.state.get("mottos") == event.result["mottos"]
    refused = await world.run("sample.add_motto", {"motto": ""}, call_id="c3", effect=Effect.RECORDED)
    assert (refused.error.kind, refused.error.path) == (ErrorKind.INVALID_ARGUMENTS, "/motto")
    assert AGENT in {message.subject.split(".")[1] async for message in world.log.read(">")}


def _imported_by(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        match node:
            case ast.Import(names=names):
                yield from (alias.name.split(".")[0] for alias in names)
            case ast.ImportFrom(module=str(module)):
                yield module.split(".")[0]
