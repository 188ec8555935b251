"""Finding the tools: in a package of families, and in the packs that other distributions add."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType

import msgspec

from agent_contracts.tool_spec import Catalogue, RunsOn
from agent_tools.broken import BrokenTools
from agent_tools.tool import Tool

PACKS = "foldline.tools"
"""The entry point group by which another distribution names a package of tools; its name is the pack's."""


class Pack(msgspec.Struct, frozen=True):
    """Tools that come together, from one distribution."""

    name: str
    version: str
    tools: tuple[Tool, ...]
    families: Mapping[str, str] = {}

    def catalogue(self) -> Catalogue:
        """What the model callers need to know of it, sorted by name so that equal packs are equal bytes."""
        specs = sorted((tool.spec for tool in self.tools), key=lambda spec: spec.name)
        families = {family: self.families[family] for family in sorted(self.families)}
        return Catalogue(self.name, self.version, specs, families)


class Registry:
    """All tools that this runner can run, by name."""

    def __init__(self, packs: Iterable[Pack]) -> None:
        """Raises BrokenTools where two tools or two packs have one name."""
        self.packs = tuple(packs)
        self._tools: dict[str, Tool] = {}
        names = [pack.name for pack in self.packs]
        if len(set(names)) != len(names):
            raise BrokenTools(f"two packs have the same name: {', '.join(sorted(names))}")
        for pack in self.packs:
            for tool in pack.tools:
                other = self._tools.setdefault(tool.spec.name, tool)
                if other is not tool:
                    raise BrokenTools(
                        f"{tool.module} and {other.module} both declare the tool {tool.spec.name!r}"
                    )

    def get(self, name: str) -> Tool | None:
        """The tool of this name, or None."""
        return self._tools.get(name)

    def on(self, place: RunsOn) -> "Registry":
        """The same packs with those of their tools alone that run there. Who publishes a pack's catalogue
        publishes all of it; who runs its tools runs these."""
        here = (
            msgspec.structs.replace(pack, tools=tuple(one for one in pack.tools if one.spec.runs_on is place))
            for pack in self.packs
        )
        return Registry(here)

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())


def installed_packs(installed: Iterable[EntryPoint] | None = None) -> list[Pack]:
    """Import the packs that other distributions add.

    `installed` are the entry points to look at: those of the running environment by default.
    Raises BrokenTools where one can't be imported or does not have the shape of a tool.
    """
    if installed is None:
        installed = entry_points(group=PACKS)
    return [_pack_of(entry) for entry in installed]


def tools_in(package: ModuleType, hidden: frozenset[str] = frozenset()) -> Iterator[Tool]:
    """The tools in `<package>/<family>/<module>.py`, one a file; files without any are shared code."""
    for family in _children(package):
        if family in hidden:
            continue
        folder = _imported(f"{package.__name__}.{family}")
        for name in _children(folder):
            module = _imported(f"{folder.__name__}.{name}")
            declared = _declared_in(module)
            if len(declared) > 1:
                names = ", ".join(sorted(declared))
                raise BrokenTools(f"{module.__name__} declares {names}: one tool, one file")
            for tool in declared.values():
                if tool.spec.family != family:
                    raise BrokenTools(
                        f"{module.__name__} says family={tool.spec.family!r} but lies in {family!r}"
                    )
                yield tool


def families_in(package: ModuleType) -> Mapping[str, str]:
    """What each family of a package is for: the first line of its folder's docstring, where it has one."""
    said = {
        family: inspect.getdoc(_imported(f"{package.__name__}.{family}")) for family in _children(package)
    }
    return {family: doc.splitlines()[0] for family, doc in said.items() if doc}


def _pack_of(entry: EntryPoint) -> Pack:
    package = _imported(entry.value)
    release = entry.dist.version if entry.dist is not None else "0"
    return Pack(entry.name, release, tuple(tools_in(package)), families_in(package))


def _declared_in(module: ModuleType) -> Mapping[str, Tool]:
    return {
        value.spec.name: value
        for value in vars(module).values()
        if isinstance(value, Tool) and value.module == module.__name__
    }


def _children(package: ModuleType) -> list[str]:
    return sorted(info.name for info in pkgutil.iter_modules(getattr(package, "__path__", ())))


def _imported(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise BrokenTools(f"{name} can't be imported: {type(error).__name__}: {error}") from error
