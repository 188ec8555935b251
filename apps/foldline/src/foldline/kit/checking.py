"""Says what is wrong with an extension before it is installed: it is loaded from its folder."""

import asyncio
import importlib
import re
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from agent_contracts.errors import Rejected
from agent_contracts.extensions import (
    KIND_OF,
    POINTS,
    ExtensionFlaw,
    distribution_of,
    installed,
    is_ours,
    judged,
)
from agent_contracts.kinds.component import COMPONENT
from agent_contracts.kinds.function import FUNCTION
from agent_contracts.kinds.library import LIBRARY
from agent_contracts.kinds.tool import TOOL
from agent_contracts.nearest import nearest
from agent_platform.services.discovery import discover, unlike
from agent_tools.registry import Pack, installed_packs
from egress.settings import ApiSettings
from tool_runner.code.runs import SandboxCodeCheck
from tool_runner.sandbox.problems import CodeForm
from tool_runner.sandbox.sandbox import Sandbox

_SECRET = "secret:"
_FORMS: Mapping[str, CodeForm] = {
    COMPONENT.kind.value: "component",
    FUNCTION.kind.value: "body",
    LIBRARY.kind.value: "module",
    TOOL.kind.value: "body",
}


def flaws_of(folder: Path) -> list[str]:
    """What is wrong with the extension in a folder, one sentence each. Empty: nothing was found."""
    pyproject = folder / "pyproject.toml"
    if not pyproject.is_file():
        return [f"{folder} has no pyproject.toml: `foldline new KIND NAME` writes one"]
    try:
        told = tomllib.loads(pyproject.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        return [f"pyproject.toml can't be read: {error}"]
    groups = told.get("project", {}).get("entry-points", {})
    points = [EntryPoint(name, value, group) for group, one in groups.items() for name, value in one.items()]
    flaws = [*_strange_groups(groups)]
    if not any(point.group in KIND_OF for point in points):
        return [
            *flaws,
            f"pyproject.toml names no entry point of {', '.join(KIND_OF)}: nothing would be found",
        ]
    with _importable(folder):
        for point in points:
            if point.group in KIND_OF:
                flaws += _not_packed(folder, told, point)
                taken = _taken(point, told.get("project", {}).get("name", ""))
                flaws += [f"{point.group} {point.name}: {flaw}" for flaw in (*taken, *_flaws_of(point))]
    return flaws


def _strange_groups(groups: Iterable[str]) -> Iterator[str]:
    for group in groups:
        if group.startswith("foldline") and group not in KIND_OF:
            near = nearest(group, KIND_OF)
            hint = f": did you mean {near}?" if near else f"; there are {', '.join(KIND_OF)}"
            yield f"nothing is looked for in the group {group}{hint}"


def _taken(point: EntryPoint, distribution: str) -> Iterator[str]:
    """That another distribution, which is installed here, has the name. One of Foldline's: see `_check`."""
    own = _normal(distribution)
    for one in installed(KIND_OF[point.group]):
        theirs = _normal(one.dist.name) if one.dist is not None else own
        if one.name == point.name and theirs != own and not is_ours(one):
            yield f"{distribution_of(one)}, which is installed here, has this name: choose another"


def _normal(distribution: str) -> str:
    return re.sub("[-_.]+", "-", distribution).lower()


def _not_packed(folder: Path, told: Mapping[str, Any], point: EntryPoint) -> Iterator[str]:
    """What hatchling would leave out of the wheel."""
    package = point.module.partition(".")[0]
    places = [one for one in (folder / package, folder / "src" / package) if one.is_dir()]
    if not places:
        yield f"{point.group} {point.name}: there is no folder {package} here, which has {point.value}"
        return
    wheel = told.get("tool", {}).get("hatch", {}).get("build", {}).get("targets", {}).get("wheel", {})
    packed = wheel.get("packages")
    if packed is not None and str(places[0].relative_to(folder)) not in packed:
        yield f"the wheel wouldn't hold {package}: add it to `packages` of tool.hatch.build.targets.wheel"
    for one in sorted(path for path in places[0].rglob("*") if path.is_dir() and any(path.glob("*.py"))):
        if not (one / "__init__.py").exists():
            yield f"{one.relative_to(folder)} has no __init__.py, so Python doesn't find what is in it"


def _flaws_of(point: EntryPoint) -> Iterator[str]:
    kind = KIND_OF[point.group]
    if kind == "pack":
        [pack] = installed_packs([point])
        yield from _flaws_of_pack(pack)
        return
    try:
        found = judged(kind, point)
        if kind == "service":
            unlike([one for one in discover() if one.name != point.name], found)
    except (Exception, SystemExit) as error:  # it is somebody else's code
        if isinstance(error, (ExtensionFlaw, Rejected)):
            yield str(error)
        else:
            yield f"{type(error).__name__}: {error}"
        return
    if kind == "service" and issubclass(found.settings, ApiSettings) and not found.may:
        yield "it takes ApiSettings and says nothing that it `may` do at the API: it gets no token"
    if kind == "block" and found.code:
        yield from unreadable([("its component", found.code, "component")])


def _flaws_of_pack(pack: Pack) -> Iterator[str]:
    assert pack.about is not None
    if pack.about.problem:
        yield pack.about.problem
        return
    if not pack.tools and not pack.about.brings:
        yield "it has no tools and brings nothing: tools lie in files beside its __init__.py"
    if not pack.about.purpose.strip():
        yield "nobody is told what it is for: give its __init__.py a docstring, or a PACK with a `purpose`"
    for tool in pack.tools:
        if not pack.families.get(tool.spec.family):
            yield f"the family {tool.spec.family} has no docstring: models wouldn't know what it is for"
        properties: Any = tool.spec.parameters["properties"]
        for name, schema in properties.items():
            if not schema.get("description"):
                yield f"the argument {name} of {tool.spec.name} has no description: a string below the field"
    code = [
        (f"{one.kind} {one.name}", one.value["code"], _FORMS[one.kind])
        for one in pack.about.brings
        if one.kind in _FORMS and isinstance(one.value, dict) and isinstance(one.value.get("code"), str)
    ]
    yield from unreadable(code)


def needs_of(folder: Path) -> list[str]:
    """The secrets that an agent needs for tools of the packs in a folder, with the command to set each."""
    told = tomllib.loads((folder / "pyproject.toml").read_text())
    packs = told["project"].get("entry-points", {}).get(POINTS["pack"].group, {})
    with _importable(folder):
        found = installed_packs(
            [EntryPoint(name, value, POINTS["pack"].group) for name, value in packs.items()]
        )
    needs = {need for pack in found for tool in pack.tools for need in tool.spec.needs}
    return sorted(need.removeprefix(_SECRET) for need in needs if need.startswith(_SECRET))


def unreadable(code: Iterable[tuple[str, Any, CodeForm]]) -> list[str]:
    """What doesn't parse, as the sandbox reads it. Nothing of it is run."""
    given = list(code)

    async def read() -> list[str]:
        with tempfile.TemporaryDirectory() as compiled:
            sandbox = Sandbox(Path(compiled), workers=1)
            try:
                check = SandboxCodeCheck(sandbox)
                found = [(what, await check.problem(text, form)) for what, text, form in given]
            finally:
                await sandbox.close()
        return [
            f"{what} can't be read: {problem.message} (line {problem.line}, column {problem.column})"
            for what, problem in found
            if problem is not None
        ]

    return asyncio.run(read()) if given else []


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Have what lies in the folder, or in its `src`, be found before all that is installed."""
    places = [str(folder.resolve() / "src"), str(folder.resolve())]
    before = set(sys.modules)
    sys.path[:0] = places
    importlib.invalidate_caches()
    try:
        yield
    finally:
        for place in places:
            sys.path.remove(place)
        for name in set(sys.modules) - before:
            if (getattr(sys.modules[name], "__file__", None) or "").startswith(tuple(places)):
                del sys.modules[name]
