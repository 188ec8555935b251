"""Finding the tools: in a package of families, and in the packs that other distributions add."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

import msgspec
import structlog

from agent_contracts.packs import PACK_NAME, PackAbout
from agent_contracts.tool_spec import Catalogue, RunsOn, ToolSpec
from agent_tools.aliases import tool_of
from agent_tools.broken_tools import BrokenTools
from agent_tools.declarations import about_of, declaration_in, engine_specs
from agent_tools.tool import Tool

PACKS = "foldline.tools"
"""The entry point group by which another distribution names a package of tools; its name is the pack's."""
ALWAYS_THERE = frozenset({"core", "engine", "browser", "own", "workspace"})
"""Names that no pack may have: whose tools every agent has, or made itself."""

log = structlog.get_logger()

Find = Callable[[str], Tool | None]
"""Finds a tool by its id."""


class Pack(msgspec.Struct, frozen=True):
    """Tools that come together, from one distribution. One that is `about` something is offered to the agents
    for which people enabled it; `published` are tools of it that others run."""

    name: str
    version: str
    tools: tuple[Tool, ...]
    families: Mapping[str, str] = {}
    about: PackAbout | None = None
    published: tuple[ToolSpec, ...] = ()

    def catalogue(self) -> Catalogue:
        """What the model callers need to know of it, sorted by name so that equal packs are equal bytes."""
        specs = sorted((*(tool.spec for tool in self.tools), *self.published), key=lambda spec: spec.name)
        families = {family: self.families[family] for family in sorted(self.families)}
        return Catalogue(self.name, self.version, specs, families, self.about)

    def broken(self, why: str) -> "Pack":
        """The same without its tools, since it can't be used."""
        about = self.about or PackAbout(self.name, "")
        log.error("pack.broken", pack=self.name, version=self.version, why=why)
        return Pack(self.name, self.version, (), about=msgspec.structs.replace(about, problem=why))


class Registry:
    """All tools that this runner can run, by id."""

    def __init__(self, packs: Iterable[Pack]) -> None:
        """Raises BrokenTools where two tools of one id are there, or two packs have one name."""
        self.packs = tuple(packs)
        self._tools: dict[str, Tool] = {}
        names = [pack.name for pack in self.packs]
        if len(set(names)) != len(names):
            raise BrokenTools(f"two packs have the same name: {', '.join(sorted(names))}")
        for pack in self.packs:
            _check_names(pack)
            self._tools |= {tool.spec.tool: tool for tool in pack.tools}

    def get(self, tool: str) -> Tool | None:
        """The tool of this id, or None."""
        return self._tools.get(tool)

    def where(self, problem: Callable[[Tool], str | None]) -> "Registry":
        """The same, where a pack that agents enable has no tools if one of them has a problem. One of a tool
        that every agent has raises BrokenTools."""
        return Registry([_usable(pack, problem) for pack in self.packs])

    def as_found(self, tried: "Registry") -> "Registry":
        """The same, but for the packs that turned out to be broken where their tools were to be run."""
        broken = {pack.name: pack for pack in tried.packs if pack.about is not None and pack.about.problem}
        return Registry([broken.get(pack.name, pack) for pack in self.packs])

    def on(self, place: RunsOn) -> "Registry":
        """The same packs with those of their tools alone that run there; the others are `published`, so that
        a catalogue has all."""
        return Registry([_on(pack, place) for pack in self.packs])

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())


def _on(pack: Pack, place: RunsOn) -> Pack:
    here = tuple(tool for tool in pack.tools if tool.spec.runs_on is place)
    elsewhere = tuple(tool.spec for tool in pack.tools if tool.spec.runs_on is not place)
    return msgspec.structs.replace(pack, tools=here, published=(*pack.published, *elsewhere))


def _check_names(pack: Pack) -> None:
    tools: dict[str, Tool] = {}
    for tool in pack.tools:
        other = tools.setdefault(tool.spec.name, tool)
        if other is not tool:
            raise BrokenTools(f"{tool.module} and {other.module} both declare the tool {tool.spec.name!r}")
    twice = [spec.name for spec in pack.published if spec.name in tools]
    if twice:
        raise BrokenTools(f"{tools[twice[0]].module} declares {twice[0]!r}, which the engine answers")


def _usable(pack: Pack, problem: Callable[[Tool], str | None]) -> Pack:
    why = next((found for tool in pack.tools if (found := problem(tool)) is not None), None)
    if why is None:
        return pack
    if pack.about is None:
        raise BrokenTools(why)
    return pack.broken(why)


def installed_packs(installed: Iterable[EntryPoint] | None = None, core: Find | None = None) -> list[Pack]:
    """The packs that other distributions add, by name.

    `installed` are the entry points to look at: those of the running environment by default; `core` finds
    the tools that their aliases stand for, which None leaves out: for who runs no core tools. What is wrong
    with a pack is told with that pack, which has no tools then: it doesn't keep others from being used.
    """
    if installed is None:
        installed = entry_points(group=PACKS)
    by_name: dict[str, list[EntryPoint]] = {}
    for entry in installed:
        by_name.setdefault(entry.name, []).append(entry)
    return [_pack_of(by_name[name], core) for name in sorted(by_name)]


def tools_in(package: ModuleType, hidden: frozenset[str] = frozenset()) -> Iterator[Tool]:
    """The tools of each family: those in `<package>/<family>.py`, or in the files of `<package>/<family>/`.
    Files without any are shared code. Raises BrokenTools for a tool that says another family, and for a
    folder of such files that Python doesn't take for a package."""
    _check_folders(package)
    for family in _children(package):
        for module in () if family in hidden else _modules(f"{package.__name__}.{family}"):
            for tool in _declared_in(module):
                if tool.spec.family != family:
                    raise BrokenTools(
                        f"{module.__name__} says family={tool.spec.family!r} but lies in {family!r}"
                    )
                yield tool


def _check_folders(package: ModuleType) -> None:
    for root in map(Path, getattr(package, "__path__", ())):
        for folder in sorted(root.iterdir()) if root.is_dir() else ():
            lacks = folder.is_dir() and folder.name.isidentifier() and not (folder / "__init__.py").exists()
            if lacks and any(folder.glob("*.py")):
                where = f"{package.__name__}/{folder.name}"
                raise BrokenTools(f"{where} has no __init__.py, so its tools are not found: add one")


def families_in(package: ModuleType) -> Mapping[str, str]:
    """What each family of a package is for: the first line of its file's or folder's docstring, where it has
    one."""
    said = {}
    for family in _children(package):
        module = _imported(f"{package.__name__}.{family}")
        if hasattr(module, "__path__") or _declared_in(module):
            said[family] = inspect.getdoc(module)
    return {family: doc.splitlines()[0] for family, doc in said.items() if doc}


def _pack_of(entries: list[EntryPoint], core: Find | None) -> Pack:
    entry = entries[0]
    release = entry.dist.version if entry.dist is not None else "0"
    pack = Pack(entry.name, release, (), about=PackAbout(entry.name, ""))
    try:
        if not PACK_NAME.fullmatch(entry.name) or entry.name in ALWAYS_THERE:
            raise BrokenTools(f"no pack can be called {entry.name!r}")
        if len(entries) > 1:
            values = " and ".join(sorted(one.value for one in entries))
            raise BrokenTools(f"two packs have the name {entry.name!r}: {values}")
        package = _imported(entry.value)
        declared = declaration_in(package, entry.name)
        pack = msgspec.structs.replace(pack, about=about_of(entry.name, package, declared))
        made = [*tools_in(package)]
        if core is not None:
            made += [tool_of(one, core, package.__name__) for one in declared.aliases]
        pack = msgspec.structs.replace(
            pack,
            tools=tuple(_of_pack(tool, entry.name) for tool in made),
            families=families_in(package),
            published=engine_specs(entry.name, declared),
        )
        _check_names(pack)
        return pack
    except BrokenTools as broken:
        return pack.broken(broken.message)


def _of_pack(tool: Tool, pack: str) -> Tool:
    return msgspec.structs.replace(tool, spec=msgspec.structs.replace(tool.spec, pack=pack))


def _modules(family: str) -> Iterator[ModuleType]:
    module = _imported(family)
    if not hasattr(module, "__path__"):
        yield module
    for name in _children(module):
        yield _imported(f"{family}.{name}")


def _declared_in(module: ModuleType) -> list[Tool]:
    """By name. One that is only imported is not declared."""
    own = {id(one): one for one in vars(module).values() if isinstance(one, Tool)}
    return sorted(
        (one for one in own.values() if one.module == module.__name__), key=lambda one: one.spec.name
    )


def _children(package: ModuleType) -> list[str]:
    return sorted(info.name for info in pkgutil.iter_modules(getattr(package, "__path__", ())))


def _imported(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise BrokenTools(f"{name} can't be imported: {type(error).__name__}: {error}") from error
