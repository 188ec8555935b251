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
    check: str = ""
    """What raises for one that can't be used, as `module:function` of its name and it; empty: nothing."""
    names: str = ""
    """The member of it that names something else, as `module:NAME`; empty: none does."""
    named_type: str = ""
    """The type of that, as `module:Type`; empty: any."""


POINTS = {
    one.kind: one
    for one in (
        ExtensionPoint(kind="pack", group="foldline.tools", gives=""),
        ExtensionPoint(
            kind="service",
            group="foldline.services",
            gives="agent_platform.services.declaration:ServiceDeclaration",
            check="agent_platform.services.discovery:check_service",
            names="entry",
        ),
        ExtensionPoint(
            kind="channel",
            group="foldline.channels",
            gives="agent_contracts.channels.kind:ChannelKind",
            check="agent_contracts.channels.registry:check_channel",
            names="sender",
        ),
        ExtensionPoint(
            kind="provider",
            group="foldline.providers",
            gives="agent_domain.model_providers:ModelProvider",
            check="agent_domain.model_providers:check_provider",
            names="interface",
            named_type="model_caller.providers.interface:ModelInterface",
        ),
        ExtensionPoint(
            kind="condition",
            group="foldline.conditions",
            gives="agent_contracts.added_conditions:AddedCondition",
            check="agent_contracts.added_conditions:check_condition",
        ),
        ExtensionPoint(
            kind="block",
            group="foldline.blocks",
            gives="agent_tools.blocks:BlockKind",
            check="tool_runner.tools.rendering.blocks.shapes:check_new_block",
        ),
        ExtensionPoint(
            kind="door",
            group="foldline.doors",
            gives="gateway.operations.doors:Door",
            check="gateway.operations.open_doors:check_door",
        ),
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
    """The entry points of a kind when this process asked first, by name; nothing is imported for them."""
    return _installed_now(kind)


def _installed_now(kind: str) -> tuple[EntryPoint, ...]:
    return tuple(sorted(entry_points(group=POINTS[kind].group), key=lambda point: point.name))


def installed_at_start() -> frozenset[str]:
    """Every extension that was installed when this process asked first: at its start, each service does."""
    return frozenset(_label(kind, point) for kind in POINTS for point in installed(kind))


def _label(kind: str, point: EntryPoint) -> str:
    """Another one after an update."""
    return f"{kind} {point.name} {point.value} {distribution_of(point)}"


def put_aside(kind: str, name: str, error: BaseException, point: EntryPoint | None = None) -> BrokenExtension:
    """Note that an extension can't be used. `point`: which one, where several have the name."""
    why = str(error) if isinstance(error, ExtensionFlaw) else f"{type(error).__name__}: {error}"
    point = point or next((one for one in installed(kind) if one.name == name), None)
    BROKEN[kind, name] = broken = BrokenExtension(kind, name, distribution_of(point), why)
    return broken


class SeenExtension(msgspec.Struct, frozen=True):
    """An extension as it is installed: what kind it is, the distribution that has it with its version, and
    what is `wrong` with it; empty: nothing that is known here. One that was installed `since_start` is used
    once Foldline is started again."""

    kind: str
    name: str
    distribution: str
    wrong: str
    since_start: bool = False


def looked_over(at_start: frozenset[str] | None = None) -> list[SeenExtension]:
    """Every extension but packs and Foldline's own services, each judged, by kind and name.

    `at_start` is what was installed when another process, which uses them, was started. Without it that is
    this one, which doesn't load what came since.
    """
    points = [(kind, point) for kind in POINTS if kind != "pack" for point in _installed_now(kind)]
    return [_seen(kind, point, at_start) for kind, point in points if not is_ours(point)]


def _seen(kind: str, point: EntryPoint, at_start: frozenset[str] | None) -> SeenExtension:
    since = _label(kind, point) not in (installed_at_start() if at_start is None else at_start)
    if (kind, point.name) not in BROKEN and not (since and at_start is None):
        try:
            judged(kind, point)
        except (Exception, SystemExit) as error:  # it is somebody else's code
            put_aside(kind, point.name, error, point)
    broken = BROKEN.get((kind, point.name))
    wrong = broken.why if broken is not None else ""
    return SeenExtension(kind, point.name, distribution_of(point), wrong, since_start=since)


def judged(kind: str, point: EntryPoint) -> Any:
    """What an entry point names, with what that names by text. Raises whatever is wrong with either."""
    about = POINTS[kind]
    found = usable(point, _type_of(about.gives), _here(about.check) or (lambda name, thing: None))
    reference = getattr(found, about.names) if about.names else ""
    if reference and (kind != "provider" or ":" in reference):
        thing = _here(reference)
        if about.named_type and thing is not None and not isinstance(thing, _type_of(about.named_type)):
            raise ExtensionFlaw(f"{reference} is no {about.named_type.partition(':')[2]}")
    return found


def _type_of(reference: str) -> type:
    """The type; any, where what has it isn't installed: then nothing here uses it either."""
    given = _here(reference)
    return given if isinstance(given, type) else object


def _here(reference: str) -> Any:
    """What it stands for; None if that needs a service of Foldline's that isn't installed here."""
    try:
        return named(reference) if reference else None
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in _SERVICES:
            return None
        raise


def is_ours(point: EntryPoint) -> bool:
    """Whether this is one of Foldline's own services."""
    ours = OURS.get(point.name) if point.group == POINTS["service"].group else None
    return ours is not None and ours == point.module.partition(".")[0]


def distribution_of(point: EntryPoint | None) -> str:
    """The name and version of what has it; empty where that is not known."""
    return f"{point.dist.name} {point.dist.version}" if point is not None and point.dist is not None else ""


KIND_OF = {point.group: kind for kind, point in POINTS.items()}
"""The kinds by their groups."""
_SERVICES = frozenset(
    {"agent_platform", "agent_domain", "agent_tools", "gateway", "model_caller", "notifier", "tool_runner"}
)
"""Packages of Foldline that extensions of some kinds import, and that not each image has."""


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
