"""What other distributions add to Foldline: each is named by an entry point, and used where it is needed.

One that can't be used is left out and told (`BROKEN`): to the log of each service, to `foldline packs` and
`foldline doctor`. It keeps nothing else from working.
"""

import importlib
import re
from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeVar

import msgspec

from agent_contracts.service_names import OURS

NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
"""What an extension can be called."""

T = TypeVar("T")


class ExtensionPoint(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of thing that people add."""

    kind: str
    """What it is called: `channel`."""
    group: str
    """The group of entry points by which it is found."""
    gives: str
    """The type of what an entry point names, as `module:Type`; empty: a package of tools."""


POINTS = {
    one.kind: one
    for one in (
        ExtensionPoint(kind="pack", group="foldline.tools", gives=""),
        ExtensionPoint(
            kind="service",
            group="foldline.services",
            gives="agent_platform.services.declaration:ServiceDeclaration",
        ),
        ExtensionPoint(
            kind="channel", group="foldline.channels", gives="agent_contracts.channels.kind:ChannelKind"
        ),
        ExtensionPoint(
            kind="provider", group="foldline.providers", gives="agent_domain.model_providers:ModelProvider"
        ),
        ExtensionPoint(
            kind="condition",
            group="foldline.conditions",
            gives="agent_contracts.added_conditions:AddedCondition",
        ),
        ExtensionPoint(kind="block", group="foldline.blocks", gives="agent_tools.blocks:BlockKind"),
        ExtensionPoint(kind="door", group="foldline.doors", gives="gateway.operations.doors:Door"),
    )
}
"""All of them, by kind. `docs/extend/` has a page for each."""


class BrokenExtension(msgspec.Struct, frozen=True):
    """An extension that can't be used, and `why`, in words for whoever installed it."""

    kind: str
    name: str
    distribution: str
    why: str

    def __str__(self) -> str:
        of = f" ({self.distribution})" if self.distribution else ""
        return f"{self.kind} {self.name}{of}: {self.why}"


BROKEN: dict[tuple[str, str], BrokenExtension] = {}
"""Those that this process has met, by kind and name."""


_TOLD: set[tuple[str, str]] = set()


def untold() -> list[BrokenExtension]:
    """Those that this process has met since it was asked last."""
    new = [one for key, one in BROKEN.items() if key not in _TOLD]
    _TOLD.update(BROKEN)
    return new


class ExtensionFlaw(ValueError):
    """What is wrong with an extension."""


def loaded(kind: str, shape: type[T], check: Callable[[str, T], None]) -> dict[str, T]:
    """The extensions of a kind that can be used, by name. `check` raises for one that can't: `ExtensionFlaw`
    for what it knows, anything else counts as well."""
    found: dict[str, T] = {}
    for point in installed(kind):
        try:
            if point.name in found:
                raise ExtensionFlaw(f"two extensions have the name {point.name}")
            found[point.name] = usable(point, shape, check)
        except (Exception, SystemExit) as error:  # it is somebody else's code
            put_aside(kind, point.name, error, point)
    return found


@cache
def installed(kind: str) -> tuple[EntryPoint, ...]:
    """The entry points of a kind, by name; nothing is imported for them."""
    return tuple(sorted(entry_points(group=POINTS[kind].group), key=lambda point: point.name))


def put_aside(kind: str, name: str, error: BaseException, point: EntryPoint | None = None) -> BrokenExtension:
    """Note that an extension can't be used. `point`: which one, where several have the name."""
    why = str(error) if isinstance(error, ExtensionFlaw) else f"{type(error).__name__}: {error}"
    point = point or next((one for one in installed(kind) if one.name == name), None)
    BROKEN[kind, name] = broken = BrokenExtension(kind, name, distribution_of(point), why)
    return broken


class SeenExtension(msgspec.Struct, frozen=True):
    """An extension as it is installed: what kind it is, the distribution that has it with its version, and
    what is `wrong` with it; empty: nothing that is known here."""

    kind: str
    name: str
    distribution: str
    wrong: str


def looked_over() -> list[SeenExtension]:
    """Every extension but packs and Foldline's own services, each loaded, by kind and name."""
    points = (point for kind in POINTS if kind != "pack" for point in installed(kind))
    return [_seen(kind, point) for point in points for kind in (KIND_OF[point.group],) if not is_ours(point)]


def _seen(kind: str, point: EntryPoint) -> SeenExtension:
    if (kind, point.name) not in BROKEN:
        try:
            check_name(point)
            thing = named(point.value)
            if not isinstance(thing, _given_by(kind)):
                raise ExtensionFlaw(f"{point.value} is no {POINTS[kind].gives.partition(':')[2]}")
        except (Exception, SystemExit) as error:  # it is somebody else's code
            put_aside(kind, point.name, error, point)
    broken = BROKEN.get((kind, point.name))
    return SeenExtension(kind, point.name, distribution_of(point), broken.why if broken is not None else "")


def _given_by(kind: str) -> type:
    """The type; any, where what has it isn't installed: then nothing here uses it either."""
    try:
        given = named(POINTS[kind].gives)
    except ModuleNotFoundError:
        return object
    return given if isinstance(given, type) else object


def is_ours(point: EntryPoint) -> bool:
    """Whether this is one of Foldline's own services."""
    ours = OURS.get(point.name) if point.group == POINTS["service"].group else None
    return ours is not None and ours == point.module.partition(".")[0]


def distribution_of(point: EntryPoint | None) -> str:
    """The name and version of what has it; empty where that is not known."""
    return f"{point.dist.name} {point.dist.version}" if point is not None and point.dist is not None else ""


KIND_OF = {point.group: kind for kind, point in POINTS.items()}
"""The kinds by their groups."""


def named(reference: str) -> Any:
    """What `module:NAME` stands for. Raises whatever importing it raises."""
    module, _, name = reference.partition(":")
    try:
        return getattr(importlib.import_module(module), name)
    except AttributeError as error:
        raise ExtensionFlaw(f"{module} has no {name or 'name after a colon'}") from error


def check_name(point: EntryPoint) -> None:
    """Raises for a name that somebody else's extension can't have."""
    if point.group == POINTS["service"].group and point.name in OURS:
        raise ExtensionFlaw(f"Foldline has a service {point.name} itself: rename it")
    if not NAME.fullmatch(point.name):
        raise ExtensionFlaw(f"nothing can be called {point.name!r}: it must match {NAME.pattern}")


def usable(point: EntryPoint, shape: type[T], check: Callable[[str, T], None]) -> T:
    """What an entry point names. Raises whatever is wrong with it."""
    check_name(point)
    thing = named(point.value)
    if not isinstance(thing, shape):
        raise ExtensionFlaw(f"{point.value} is no {shape.__name__}")
    check(point.name, thing)
    return thing
